using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Replays;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Telemetry;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab replay</c>: plays a stage on an application that runs already, here or elsewhere.</summary>
internal static class ReplayCommand
{
    private const string Otherwise = "2";

    public static Command Create()
    {
        var stage = new Argument<string>("stage") { Description = "Which stage.", DefaultValueFactory = _ => Otherwise };
        var targets = Addresses("--target", "Base address of Ingestion; may be given again, requests go to each in turn.");
        var connection = new Option<string?>("--connection")
        {
            HelpName = "TEXT",
            Description = "Connection string of its Service Bus with the right to manage, or NAMESPACE.servicebus.windows.net. "
                + $"[default: the variable {BusConnection.Variable}]",
        };
        var services = Addresses(
            "--service",
            "Base address of a replica whose HTTP 5xx answers are counted: "
            + "every one of Ingestion, Package, DroneScheduler and Delivery, or none at all.");
        var collector = new Option<Uri?>("--collector")
        {
            HelpName = "URL",
            Description = "The lab's collector that has its telemetry: `./lab up` prints the address, "
                + "in a cluster it is the service telemetry.",
            CustomParser = result => AddressOf(result.Tokens[0].Value, result),
        };
        var insights = new Option<string?>("--app-insights")
        {
            HelpName = "NAME",
            Description = "The Application Insights resource that has it, asked by `az`.",
        };
        var group = new Option<string>("--resource-group")
        {
            HelpName = "GROUP",
            Description = "Of Azure.",
            DefaultValueFactory = _ => "drone-delivery",
        };
        Option<bool> full = Options.Full();
        Option<int> k = Options.K();
        var driver = Options.Driver(
            "Load generator; auto uses k6 if it is on PATH, and the lab's own if the queue's counts need its help.");
        Option<string[]> set = Options.Set(), replicas = Options.Replicas();
        var environment = Options.Environment("none");
        environment.Description = "What the target emulates, for the record: a file of loadtest/environments, or none.";
        var seed = Options.Seed();
        var purge = new Option<bool>("--purge") { Description = "Take every message out of the target's queue first." };
        var yes = new Option<bool>("--yes") { Description = "Do not ask before load is put on another machine." };
        var dryRun = new Option<bool>("--dry-run")
        {
            Description = "Say what would be sent and which commands turn the target's knobs, and end.",
        };
        var json = Options.Json("Print run.json instead of the tables.");
        var command = new Command(
            "replay",
            "Plays a stage on an application that already runs, and judges it as `run` does. "
            + "Exit code 0 only if every check that can be judged holds.")
        {
            stage, targets, connection, services, collector, insights, group, full, k, driver,
            set, replicas, environment, seed, purge, yes, dryRun, json,
        };
        command.WithHelp(
            output => output.WriteLine(
                "The knobs of --set are what the target is taken to run with. "
                + "Those that only its platform can turn are printed as commands.\n"),
            "replay --target http://localhost:5100 --connection "
            + "\"Endpoint=sb://localhost:5672;SharedAccessKeyName=RootManageSharedAccessKey;"
            + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true\"",
            "replay 5 --target http://ADDRESS --connection NAMESPACE.servicebus.windows.net --full");
        command.SetAction(async (parsed, cancellationToken) =>
        {
            if (parsed.GetValue(targets) is not { Length: > 0 })
                throw new BadInputException("--target is needed: the base address of Ingestion, for example http://localhost:5100.");
            var id = parsed.GetValue(stage)!;
            var plan = RunPlan.Of([id], new(
                parsed.GetValue(full) ? 1 : parsed.GetValue(k),
                Options.Knobs(parsed.GetValue(set)!, parsed.GetValue(replicas)!),
                parsed.GetValue(environment),
                RunOptions.FolderOf(TimeProvider.System.GetUtcNow(), $"replay-{id}"), new Ports(0), parsed.GetValue(seed), Open: false)
            { Targets = parsed.GetValue(targets)! });
            if (plan.Played.Count != 1)
                throw new BadInputException("One stage is replayed at a time: the next one needs other knobs, which are its platform's.");
            var bus = new BusConnection(parsed.GetValue(connection) ?? Environment.GetEnvironmentVariable(BusConnection.Variable)
                ?? throw new BadInputException(
                    $"--connection, or the variable {BusConnection.Variable}, is needed: the rates of a stage come from its queue."));
            var asked = new Asked(
                plan,
                bus,
                parsed.GetValue(services)!,
                TelemetryOf,
                parsed.GetValue(driver)!,
                parsed.GetValue(purge),
                parsed.GetValue(yes),
                parsed.GetValue(dryRun),
                CommandOf(parsed));
            ITargetTelemetry? TelemetryOf(HttpClient http, TimeProvider clock) =>
                parsed.GetValue(collector) is { } address ? new CollectorTelemetry(http, address, plan.Options.Folder, clock)
                : parsed.GetValue(insights) is { } name ? AzureTelemetry.Of(name, parsed.GetValue(group)!, plan.Options.Folder, clock)
                : null;
            var run = await RunAsync(asked, TimeProvider.System, cancellationToken);
            if (run is not null && parsed.GetValue(json))
                Console.WriteLine(run.ToJson());
            else if (run is not null)
                VerdictTable.Write(Terminal.Output, plan, run);
            return run is null or { Outcome: Outcomes.Holds } ? 0 : 1;
        });
        return command;
    }

    /// <returns>Null: nothing was to be played.</returns>
    private static async Task<RunRecord?> RunAsync(Asked asked, TimeProvider clock, CancellationToken cancellationToken)
    {
        var stage = asked.Plan.Played[0];
        using var http = asked.IsHere ? Loopback.CreateClient() : new HttpClient();
        await using var queue = new TargetQueue(asked.Bus, clock);
        var setup = new ReplaySetup(stage, queue, http, clock);
        Announce(asked, setup);
        if (asked.DryRun)
            return null;
        var state = await queue.ReadAsync(cancellationToken);
        foreach (var difference in new PlatformKnobs(stage, asked.Bus).Differences(state))
            Terminal.Error.WriteLine(difference);
        if (!asked.Purge)
            setup.Require(state);
        Agree(asked);
        return await PlayAsync(asked, queue, http, clock, cancellationToken);
    }

    private static async Task<RunRecord> PlayAsync(
        Asked asked, TargetQueue queue, HttpClient http, TimeProvider clock, CancellationToken cancellationToken)
    {
        var folder = asked.Plan.Options.Folder;
        RunFolder.RequireRoom(folder, asked.Plan.Options.K);
        var machine = await MachineRecord.ReadAsync(cancellationToken);
        var startedAt = clock.GetUtcNow();
        var counters = await BrokerCounts.FindAsync(http, asked.Bus.LocalBroker, clock, cancellationToken);
        var driverName = asked.Driver == LoadDrivers.Automatic && counters is null ? LoadDrivers.Own : asked.Driver;
        var driver = LoadDrivers.Choose(driverName, asked.Plan.Played[0].LoadFolder, http, clock);
        var counts = counters ?? (IQueueCounts)new RuntimeCounts(queue.Administration, () => driver.Accepted, clock);
        var replay = new Replay(
            asked.Plan, queue, new RunningElsewhere(counts, asked.Services, queue), asked.Telemetry(http, clock), driver, http, clock);
        RunRecord Record(string? reason) => RunRecord.Of(
            asked.Plan, replay.Outcomes, startedAt, asked.Command, machine, calibration: null, telemetry: null, reason);
        try
        {
            await replay.PlayAsync(asked.Purge, cancellationToken);
            var run = Record(reason: null);
            var telemetry = File.Exists(Path.Combine(folder, TelemetryCollector.FileName))
                ? await RunTelemetry.LoadAsync(folder, cancellationToken)
                : null;
            RunFolder.Write(folder, run, telemetry);
            return run;
        }
        catch (Exception exception) when (exception is LabException or OperationCanceledException)
        {
            var why = exception is LabException ? exception.Message : "It was stopped before its end.";
            RunFolder.Write(folder, Record(why), telemetry: null);
            Terminal.Error.WriteLine($"The run is incomplete. What there is of it: {folder}");
            throw;
        }
    }

    /// <summary>What is going to be sent, and how the target gets the stage's knobs.</summary>
    private static void Announce(Asked asked, ReplaySetup setup)
    {
        var stage = asked.Plan.Played[0];
        var profile = stage.Profile;
        var before = setup.WarmUps > 0
            ? $", after {setup.WarmUps} to warm up"
            : $"; {stage.MessagesAtStart} messages wait in its queue before";
        Console.Error.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"Stage {stage.Stage.Id} on {string.Join(' ', asked.Plan.Options.Targets)}: "
            + $"{profile.ExpectedRequests:0} requests at most in {profile.DurationSeconds:0} s, from {profile.MaxUsers} users{before}."));
        var knobs = new PlatformKnobs(stage, asked.Bus);
        knobs.WriteValues();
        Console.Error.WriteLine("Its knobs are for its platform to turn:");
        foreach (var command in knobs.Commands())
            Console.Error.WriteLine($"  {command}");
    }

    /// <exception cref="BadInputException">Load for another machine that nobody has agreed to.</exception>
    private static void Agree(Asked asked)
    {
        if (asked.Yes || asked.IsHere)
            return;
        var elsewhere = asked.Plan.Options.Targets.First(target => !target.IsLoopback);
        if (Console.IsInputRedirected || Console.IsErrorRedirected)
            throw new BadInputException($"{elsewhere} is not on this machine: add --yes if this load may be put on it.");
        Console.Error.Write($"{elsewhere} is not on this machine. May this load be put on it? [y/N] ");
        if (Console.ReadLine()?.Trim() is not ("y" or "Y" or "yes"))
            throw new LabException("Nothing was sent.");
    }

    private static string CommandOf(ParseResult parsed) =>
        BusConnection.WithoutKeys("./lab " + string.Join(' ', parsed.Tokens.Select(token => token.Value)));

    private static Option<Uri[]> Addresses(string name, string description) => new(name)
    {
        HelpName = "URL",
        Description = description,
        DefaultValueFactory = _ => [],
        CustomParser = result => [.. result.Tokens.Select(token => AddressOf(token.Value, result)).OfType<Uri>()],
    };

    private static Uri? AddressOf(string text, ArgumentResult result)
    {
        if (Uri.TryCreate(text.TrimEnd('/') + "/", UriKind.Absolute, out var address)
            && address is { Scheme: "http" or "https", UserInfo: "", Query: "" })
        {
            return address;
        }

        result.AddError($"{text} is not an address: expected http://HOST:PORT.");
        return null;
    }

    /// <summary>What was typed.</summary>
    /// <param name="Telemetry">Makes what is asked for telemetry, if there is any.</param>
    /// <param name="Command">Without keys.</param>
    private sealed record Asked(
        RunPlan Plan,
        BusConnection Bus,
        IReadOnlyList<Uri> Services,
        Func<HttpClient, TimeProvider, ITargetTelemetry?> Telemetry,
        string Driver,
        bool Purge,
        bool Yes,
        bool DryRun,
        string Command)
    {
        public bool IsHere => Plan.Options.Targets.All(target => target.IsLoopback);
    }
}
