using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class UpCommand : Verb
{
    private readonly RunSelection _of = new()
    {
        Environment = SharedOptions.Environment(DeclaredEnvironment.None.Name),
    };
    private readonly Option<string[]> _with = OptionOf.Texts(
        "--with",
        "SERVICE,…",
        "Also run gateway (in front of Ingestion)."
    );

    public UpCommand()
        : base("up", "Starts the application and keeps it running until Ctrl-C or `./lab down`.")
    {
        Takes(_of.Set, _of.Replicas, _with, _of.Environment, _of.Ports, _of.Seed);
        HasExamples(
            "up",
            "up --with gateway",
            "up --replicas workflow=3,delivery=2",
            "up --set workflow.maxConcurrentCalls=20 --environment azure-2020"
        );
    }

    private ApplicationPlan Plan()
    {
        var options = _of.Of(Typed, stages: []).Options;
        return new(
            Path.Combine(Repository.LabFolder, "up"),
            options.Ports,
            options.Overrides.Consistent(),
            DeclaredEnvironment.Load(options.Environment ?? DeclaredEnvironment.None.Name),
            options.Seed
        )
        {
            With = Services(Get(_with)),
            KeepsMessages = true,
        };
    }

    private static IReadOnlyList<Service> Services(IReadOnlyList<string> with)
    {
        const StringSplitOptions NamesOnly = StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries;
        var names = with.SelectMany(list => list.Split(',', NamesOnly)).ToList();
        if (names.Find(name => names.Count(other => other == name) > 1) is { } twice)
            throw new BadInputException($"--with lists {twice} twice.");
        var wanted = names.ConvertAll(name =>
            Nearest.Named("a service for --with", name, Service.Optional, service => service.Name)
        );
        return [.. Service.Optional.Where(wanted.Contains)];
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var plan = Plan();
        using var onlyOne = await LabLock.AcquireAsync("up");
        Prepare(plan);
        await using var telemetry = await CollectAsync(plan);
        await using var application = await StartAsync(
            plan with
            {
                TelemetryConnectionString = telemetry.ConnectionString,
            }
        );
        await using var sampler = await RunSampler.StartAsync(
            telemetry,
            plan.Broker,
            plan.RedisConnectionString,
            application.Nodes,
            Clock,
            Error.WriteLine
        );
        LabState.Of(application).Save();
        try
        {
            await Out.Text.WriteLineAsync(UpGuide.Of(plan, telemetry.Address));
            await new Supervisor(application.RestartAsync, Error.WriteLine, Clock).RunAsync(
                application.Crashes,
                Stopping
            );
            await Out.Text.WriteLineAsync("Stopping…");
        }
        finally
        {
            LabState.Delete();
        }

        return ExitCode.Held;
    }

    private Task<TelemetryCollector> CollectAsync(ApplicationPlan plan) =>
        TelemetryCollector.StartAsync(
            plan.Folder,
            plan.Ports.Collector,
            Clock,
            Stopping,
            (host, store) =>
            {
                host.MapLivePage(store, new() { HasFlights = true }, Clock);
                host.MapFlights(plan);
            },
            notice: Error.WriteLine,
            window: TelemetryCollector.LastHour
        );

    private async Task<Application> StartAsync(ApplicationPlan plan)
    {
        var (watch, all, line) = (Stopwatch.StartNew(), plan.AllProcesses, Progress.Lines(Context.Error));
        var told = new Progress<(int Ready, int All)>(now => line.Report($"Starting: {now.Ready} of {now.All} ready…"));
        var application = await Application.StartAsync(plan, told, Stopping);
        line.Report("");
        Context.Error.Screen.WriteLine($"{all} processes ready in {watch.Elapsed.TotalSeconds:0.0} s.");
        return application;
    }

    private static void Prepare(ApplicationPlan plan)
    {
        if (Directory.Exists(plan.Folder))
            Directory.Delete(plan.Folder, recursive: true);
        RunFolder.RequireSpace(plan.Folder, RunOptions.Quick);
    }
}
