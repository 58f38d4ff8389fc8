using System.CommandLine;
using System.CommandLine.Parsing;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class ReplayCommand : Verb
{
    private readonly RunSelection _of = new() { Environment = SharedOptions.Environment("none") };
    private readonly Argument<string> _stage = new("stage")
    {
        Description = "The stage to run.",
        DefaultValueFactory = _ => "2",
    };

    private readonly Option<Uri[]> _targets = Addresses(
        "--target",
        "Base address of Ingestion. Can be repeated; requests are sent round robin."
    );

    private readonly Option<string?> _connection = OptionOf.Text(
        "--connection",
        "TEXT",
        "Connection string of the target's Service Bus with the Manage permission, or "
            + "NAMESPACE.servicebus.windows.net to use a Microsoft Entra identity. "
            + $"[default: the environment variable {BusConnection.Variable}]"
    );

    private readonly Option<Uri[]> _services = Addresses(
        "--service",
        "Base address of a replica, to count its HTTP 5xx responses. Can be repeated: "
            + "specify all replicas of Ingestion, Package, DroneScheduler and Delivery, or none."
    );

    private readonly Option<Uri?> _collector = new("--collector")
    {
        HelpName = "URL",
        Description =
            "The lab's collector that receives the target's telemetry. `./lab up` prints its address as the live dashboard; "
            + "in a cluster, it is the service `telemetry`.",
        CustomParser = result => AddressOf(result.Tokens[0].Value, result),
    };

    private readonly Option<string> _driver = SharedOptions.Driver(
        "Load generator. auto uses k6 if it is on PATH and the Service Bus is a local broker; otherwise, own. "
            + "job runs k6 in the cluster of the current kubectl context, next to Ingestion.",
        LoadDrivers.Job
    );

    private readonly Option<bool> _purge = OptionOf.Flag("--purge", "Delete all messages in the target's queue first.");
    private readonly Option<bool> _yes = OptionOf.Flag("--yes", "Send load to another machine without asking.");

    private readonly Option<bool> _dryRun = OptionOf.Flag(
        "--dry-run",
        "Print the planned load and the commands that set the target's knobs, without sending anything."
    );

    private readonly Option<bool> _json = OptionOf.Json("Print run.json instead of the tables.");

    public ReplayCommand()
        : base(
            "replay",
            "Same as `run --target`: runs a stage on an application that is already running, and checks what can be measured from outside. "
                + Outcomes.ExitCodes
        )
    {
        _of.Environment.Description =
            "The environment that the target emulates, for the record: a file of loadtest/environments, or none.";
        Takes(
            _stage,
            _targets,
            _connection,
            _services,
            _collector,
            _of.Full,
            _of.K,
            _driver,
            _of.Set,
            _of.Replicas,
            _of.Environment,
            _of.Seed,
            _purge,
            _yes,
            _dryRun,
            _json
        );
        HasHelp(
            output =>
                output.WriteLine(
                    "--set specifies the target's knobs for the record and the prediction; it doesn't change the target. "
                        + "The lab prints the commands that set them on its platform.\n"
                ),
            "run --target http://localhost:5100 --connection "
                + "\"Endpoint=sb://localhost:5672;SharedAccessKeyName=RootManageSharedAccessKey;"
                + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true\"",
            "run 5 --target http://ADDRESS --connection \"Endpoint=sb://HOST;SharedAccessKeyName=NAME;SharedAccessKey=KEY\" --full"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var run = _of.Of(Typed, [Get(_stage)]) with
        {
            Driver = Get(_driver),
            Command = BusConnection.WithoutKeys(Line),
        };
        var plan = PlanOf(run);
        if (await ExecuteAsync(run, plan, Bus()) is not { } record)
            return ExitCode.Held;
        Out.Write(Get(_json) ? record.ToJson() : null, screen =>
            VerdictTable.Write(screen, record, plan.Options.Folder)
        );
        return Outcomes.ExitCodeOf(record.Outcome);
    }

    private RunPlan PlanOf(RunArguments run)
    {
        if (Get(_targets) is [])
        {
            throw new BadInputException(
                "Specify --target, the base address of Ingestion, for example http://localhost:5100."
            );
        }

        var folder = RunsOnDisk.FolderOf(Clock.GetUtcNow(), $"replay-{run.Stages[0]}");
        return
            RunPlan.Of(run.Stages, run.Options with { Targets = Get(_targets), Folder = folder })
                is { Played.Count: 1 } replayed
            ? replayed
            : throw new BadInputException(
                "Specify one stage: the next one needs other knobs, which are set on the target's platform."
            );
    }

    private BusConnection Bus() =>
        new(
            Get(_connection)
                ?? Environment.GetEnvironmentVariable(BusConnection.Variable)
                ?? throw new BadInputException(
                    $"Specify --connection or the environment variable {BusConnection.Variable}: the rates of a stage are measured at its queue."
                )
        );

    private static Option<Uri[]> Addresses(string name, string description) =>
        new(name)
        {
            HelpName = "URL",
            Description = description,
            DefaultValueFactory = _ => [],
            CustomParser = result => [.. result.Tokens.Select(token => AddressOf(token.Value, result)).OfType<Uri>()],
        };

    private static Uri? AddressOf(string text, ArgumentResult result)
    {
        var address = OptionOf.Address(text);
        if (address is null)
            result.AddError($"{text} is not an address: expected http://HOST:PORT.");
        return address;
    }

    /// <returns><c>null</c> if the run was only prepared.</returns>
    private async Task<RunRecord?> ExecuteAsync(RunArguments run, RunPlan plan, BusConnection bus)
    {
        var (stage, elsewhere) = (plan.Played[0], plan.Options.Targets.FirstOrDefault(target => !target.IsLoopback));
        using var http = elsewhere is null ? Loopback.CreateClient() : new HttpClient();
        await using var queue = new TargetQueue(bus, Clock);
        var (setup, knobs) = (new ReplaySetup(stage, queue, http, Clock), new PlatformKnobs(stage, bus));
        var cluster = Get(_driver) == LoadDrivers.Job ? await K6Driver.ClusterAsync(Stopping) : null;
        Announce(stage, setup.WarmUps, knobs, cluster ?? string.Join(' ', stage.Options.Targets));
        if (Get(_dryRun))
            return null;
        var state = await queue.ReadAsync(Stopping);
        if (!Get(_purge))
            setup.Require(state);
        knobs.Require(state);
        if ((cluster ?? elsewhere?.ToString()) is { } destination && !Get(_yes))
        {
            Context.Confirm(
                $"{destination} is not on this machine.",
                "Send the load to it?",
                "Add --yes to send the load to it.",
                "Nothing was sent."
            );
        }
        RunFolder.RequireSpace(plan.Options.Folder, plan.Options.K);
        var replay = await ReplayOfAsync(run, plan, bus, queue, http);
        return await KeepAsync(replay, run, plan);
    }

    private void Announce(StagePlan stage, int warmUps, PlatformKnobs knobs, string destination)
    {
        var profile = stage.Profile;
        var before =
            warmUps > 0 ? $", after {warmUps} for warm-up" : $"; {stage.MessagesAtStart} messages are queued first";
        Error.WriteLine(
            $"Stage {stage.Stage.Id} on {destination}: "
                + $"up to {profile.ExpectedRequests:0} requests in {profile.DurationSeconds:0} s from {profile.MaxUsers} users{before}."
        );
        knobs.WriteValues();
        Error.WriteLine("These commands set its knobs:");
        foreach (var command in knobs.Commands())
            Error.WriteLine($"  {command}");
    }

    private async Task<RunRecord> KeepAsync(Replay replay, RunArguments run, RunPlan plan)
    {
        var (machine, startedAt, folder) = (
            await MachineRecord.ReadAsync(Stopping),
            Clock.GetUtcNow(),
            plan.Options.Folder
        );
        return await RunCommand.KeepAsync(folder, () => replay.ExecuteAsync(Get(_purge), Stopping), Keep, Context);

        async Task<RunRecord> Keep(string? reason)
        {
            var record = RunRecord.Of(
                plan,
                replay.Outcomes,
                startedAt,
                run.Command,
                machine,
                calibration: null,
                telemetry: null,
                reason
            );
            RunReport.Keep(
                folder,
                record,
                reason is null ? await RunTelemetry.TryLoadAsync(folder, Error.WriteLine, Stopping) : null
            );
            return record;
        }
    }

    private async Task<Replay> ReplayOfAsync(
        RunArguments run,
        RunPlan plan,
        BusConnection bus,
        TargetQueue queue,
        HttpClient http
    )
    {
        var counters = await BrokerCounts.FindAsync(http, bus.LocalBroker, Clock, Stopping);
        var name = run.Driver == LoadDrivers.Automatic && counters is null ? LoadDrivers.Own : run.Driver;
        var driver = LoadDrivers.Choose(name, plan.Played[0].LoadFolder, http, Clock);
        var counts = counters ?? (IQueueCounts)new RuntimeCounts(queue.Administration, () => driver.Accepted, Clock);
        var telemetry = Get(_collector) is { } collector
            ? new CollectorTelemetry(http, collector, plan.Options.Folder, Error.WriteLine, Clock)
            : null;
        return new(plan, queue, new RunningElsewhere(counts, Get(_services)), telemetry, driver, http, Context);
    }
}
