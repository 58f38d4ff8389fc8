using System.CommandLine;
using System.CommandLine.Parsing;
using DroneDelivery.Lab.Replays;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab replay</c>: plays a stage on an application that runs already, here or elsewhere.</summary>
internal sealed class ReplayCommand : Verb<ReplayArguments>
{
    private const string Otherwise = "2";

    private readonly Argument<string> _stage = new("stage") { Description = "Which stage.", DefaultValueFactory = _ => Otherwise };

    private readonly Option<Uri[]> _targets =
        Addresses("--target", "Base address of Ingestion. Can be repeated; requests go to each in turn.");

    private readonly Option<string?> _connection = new("--connection")
    {
        HelpName = "TEXT",
        Description = "Connection string of the target's Service Bus, with manage rights, or the name "
            + "NAMESPACE.servicebus.windows.net to log in by identity. "
            + $"[default: the variable {BusConnection.Variable}]",
    };

    private readonly Option<Uri[]> _services = Addresses(
        "--service",
        "Base address of a replica, to count its HTTP 5xx answers. Can be repeated: "
        + "give all replicas of Ingestion, Package, DroneScheduler and Delivery, or none.");

    private readonly Option<Uri?> _collector = new("--collector")
    {
        HelpName = "URL",
        Description = "The lab's collector that receives the target's telemetry. `./lab up` prints its address as Live page; "
            + "in a cluster it is the service `telemetry`.",
        CustomParser = result => AddressOf(result.Tokens[0].Value, result),
    };

    private readonly Option<string?> _insights = new("--app-insights")
    {
        HelpName = "NAME",
        Description = "The Application Insights resource that receives the target's telemetry. The lab queries it with `az`.",
    };

    private readonly Option<string> _group = new("--resource-group")
    {
        HelpName = "GROUP",
        Description = "Resource group of the Application Insights resource.",
        DefaultValueFactory = _ => "drone-delivery",
    };

    private readonly Option<bool> _full = SharedOptions.Full();
    private readonly Option<int> _k = SharedOptions.K();

    private readonly Option<string> _driver = SharedOptions.Driver(
        "Load generator. auto uses k6 if it is on PATH and the Service Bus is a local broker, otherwise own.");

    private readonly Option<string[]> _set = SharedOptions.Set();
    private readonly Option<string[]> _replicas = SharedOptions.Replicas();
    private readonly Option<string?> _environment = SharedOptions.Environment("none");
    private readonly Option<int> _seed = SharedOptions.Seed();
    private readonly Option<bool> _purge = new("--purge") { Description = "Remove all messages from the target's queue first." };
    private readonly Option<bool> _yes = new("--yes") { Description = "Send load to another machine without asking." };

    private readonly Option<bool> _dryRun = new("--dry-run")
    {
        Description = "Print what would be sent and the commands that set the target's knobs, and send nothing.",
    };

    private readonly Option<bool> _json = SharedOptions.Json("Print run.json instead of the tables.");

    public ReplayCommand()
        : base(
            "replay",
            $"Plays a stage on an application that already runs, and judges what its addresses tell. {Outcomes.ExitCodes}")
    {
        _environment.Description = "What the target emulates, for the record: a file of loadtest/environments, or none.";
        Takes(
            _stage, _targets, _connection, _services, _collector, _insights, _group, _full, _k, _driver,
            _set, _replicas, _environment, _seed, _purge, _yes, _dryRun, _json);
        HasHelp(
            output => output.WriteLine(
                "--set says which knobs the target runs with; it does not change the target. "
                + "The lab prints the commands that set them on its platform.\n"),
            "replay --target http://localhost:5100 --connection "
            + "\"Endpoint=sb://localhost:5672;SharedAccessKeyName=RootManageSharedAccessKey;"
            + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true\"",
            "replay 5 --target http://ADDRESS --connection \"Endpoint=sb://HOST;SharedAccessKeyName=NAME;SharedAccessKey=KEY\" --full");
    }

    protected override ReplayArguments Read(ParseResult parsed) => new()
    {
        Stage = parsed.GetValue(_stage)!,
        Targets = parsed.GetValue(_targets)!,
        Connection = parsed.GetValue(_connection),
        Services = parsed.GetValue(_services)!,
        Collector = parsed.GetValue(_collector),
        AppInsights = parsed.GetValue(_insights),
        ResourceGroup = parsed.GetValue(_group)!,
        IsFull = parsed.GetValue(_full),
        K = parsed.GetValue(_k),
        Driver = parsed.GetValue(_driver)!,
        Set = parsed.GetValue(_set)!,
        Replicas = parsed.GetValue(_replicas)!,
        Environment = parsed.GetValue(_environment),
        Seed = parsed.GetValue(_seed),
        Purge = parsed.GetValue(_purge),
        Yes = parsed.GetValue(_yes),
        DryRun = parsed.GetValue(_dryRun),
        Json = parsed.GetValue(_json),
        Command = BusConnection.WithoutKeys(LineOf(parsed)),
    };

    public override async Task<ExitCode> RunAsync(ReplayArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var plan = arguments.PlanAt(context.Time.GetUtcNow());
        var run = await new ReplaySession(plan, arguments.Bus(), arguments, context).RunAsync(cancellationToken);
        if (run is null)
            return ExitCode.Held;
        if (arguments.Json)
            await context.Out.Text.WriteLineAsync(run.ToJson());
        else
            VerdictTable.Write(context.Out.Screen, plan, run);
        return Outcomes.ExitCodeOf([run]);
    }

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
}
