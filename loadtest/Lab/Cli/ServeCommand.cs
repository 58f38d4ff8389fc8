using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class ServeCommand : Verb
{
    private readonly RunSelection _of = new();

    public ServeCommand()
        : base(
            "serve",
            "Prepares the application for the k6 scripts in loadtest/k6: each script requests the initial state of its stage. "
                + "Runs until Ctrl-C or `./lab down`."
        )
    {
        Takes(_of.Set, _of.Replicas, _of.Environment, _of.Ports, _of.Seed);
        HasExamples("serve", "serve --set workflow.prefetchCount=0");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var options = _of.Of(Typed, stages: []).Options with
        {
            Folder = Path.Combine(Repository.LabFolder, "serve"),
            K = RunOptions.Quick,
        };
        var names = options.Overrides.All.Select(set => set.Knob.Name);
        if (names.FirstOrDefault(name => name.StartsWith("load.", StringComparison.Ordinal)) is { } load)
            throw new BadInputException($"The script sets {load}: use its variable PROFILE instead.");
        var first = StagePlan.Of(Stage.All()[0], options).Application;
        using var onlyOne = await LabLock.AcquireAsync("serve");
        if (Directory.Exists(options.Folder))
            Directory.Delete(options.Folder, recursive: true);
        RunFolder.RequireSpace(options.Folder, RunOptions.Quick);
        using var http = Loopback.CreateClient();
        var live = new LiveRun();
        using var stages = new StageServer(options, live, http, Context);
        await using var telemetry = await TelemetryCollector.StartAsync(
            options.Folder,
            options.Ports.Collector,
            Clock,
            Stopping,
            (host, store) =>
            {
                host.MapLivePage(store, live, Clock);
                stages.Map(host);
            },
            notice: Error.WriteLine,
            window: TelemetryCollector.LastHour
        );
        await using var application = await Application.StartStoresAsync(first, new Progress<(int, int)>(), Stopping);
        await using var sampler = await RunSampler.StartAsync(
            telemetry,
            first.Broker,
            first.RedisConnectionString,
            application.Nodes,
            Clock,
            Error.WriteLine
        );
        (stages.Application, stages.Telemetry) = (application, telemetry.ConnectionString);
        await Out.Text.WriteLineAsync(
            $"""
            Ready at {telemetry.Address}, which is also the live dashboard. Ctrl-C stops everything. In another terminal:

              k6 run loadtest/k6/4-parallel.js
            """
        );
        try
        {
            if (await Task.WhenAny(application.Crashed, WaitForCancellationAsync()) == application.Crashed)
                throw await application.Crashed;
        }
        finally
        {
            LabState.Delete();
        }

        return ExitCode.Held;
    }
}
