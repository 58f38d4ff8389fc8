using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Operations;

/// <param name="Action">One of <see cref="DeadLettersCommand.Actions"/>, as it was typed.</param>
/// <param name="FailedQueue">Null: the queue's name and <c>-failed</c>.</param>
/// <param name="Connection">Null: a variable has it, or the running application.</param>
/// <param name="Dead">Purge what the supervisor has still to deal with, too.</param>
internal sealed record DeadLettersArguments(
    string Action, string? Id, bool All, string Queue, string? FailedQueue, string? Connection, bool Dead, bool Yes, bool Json)
{
    public string NameOfFailedQueue => FailedQueue ?? $"{Queue}-failed";

    public BusConnection Bus() => new(Connection ?? Environment.GetEnvironmentVariable(BusConnection.Variable) ?? OfTheRunningLab());

    private static string OfTheRunningLab()
    {
        try
        {
            return LabState.Running().BrokerConnectionString;
        }
        catch (LabException exception)
        {
            throw new LabException($"{exception.Message} For another Service Bus use --connection.");
        }
    }
}

/// <summary><c>lab deadletters</c>: what nobody handles any more, here or elsewhere.</summary>
internal sealed class DeadLettersCommand : Verb
{
    public const string List = "list", Show = "show", Replay = "replay", Purge = "purge";

    public static readonly IReadOnlyList<string> Actions = [List, Show, Replay, Purge];

    private readonly Argument<string> _action = new("action")
    {
        Description = "list, show (one with its body), replay (send again and remove) or purge (remove a failed request for good).",
        DefaultValueFactory = _ => List,
    };

    private readonly Argument<string?> _id = OptionOf.Optional("id", "The id of a dead letter, as the list shows it.");

    private readonly Option<bool> _all = OptionOf.Flag("--all", "Replay every message that the list shows, or purge every failed request.");

    private readonly Option<string> _queue = OptionOf.Text(
        "--queue", "NAME", "The queue that Workflow receives from.", BrokerCounters.QueueName);

    private readonly Option<string?> _failedQueue = OptionOf.Text(
        "--failed-queue", "NAME", "The queue to which Workflow moves failed requests. [default: the name of --queue, followed by -failed]");

    private readonly Option<string?> _connection = OptionOf.Text(
        "--connection", "TEXT", "Connection string of a Service Bus, with the rights to send and to listen, or the name "
            + "NAMESPACE.servicebus.windows.net to log in by identity. "
            + $"[default: the variable {BusConnection.Variable}, or the application that `./lab up` started]");

    private readonly Option<bool> _dead = OptionOf.Flag(
        "--dead", "Also purge the dead-letter queue of --queue. Workflow's supervisor has yet to undo the requests in it: "
            + "if one is purged before that, its package and its drone assignment stay.");

    private readonly Option<bool> _yes = OptionOf.Flag("--yes", "Purge without asking.");
    private readonly Option<bool> _json = OptionOf.Json("Print the result as JSON.");

    public DeadLettersCommand()
        : base("deadletters", "Lists dead letters and failed requests, shows one, sends them again or removes them.")
    {
        Takes(_action, _id, _all, _queue, _failedQueue, _connection, _dead, _yes, _json);
        HasHelp(
            output => output.WriteLine(
                "It reads the dead-letter queue of --queue, and the queue of failed requests with its own dead-letter queue.\n"
                + "list and show change nothing.\n"
                + "With an id, replay and purge also receive the messages before it and give them back: "
                + "the delivery count of each of these rises by one.\n"),
            "deadletters",
            "deadletters show ID",
            "deadletters replay ID",
            "deadletters replay --all --connection \"Endpoint=sb://HOST;SharedAccessKeyName=NAME;SharedAccessKey=KEY\"",
            "deadletters purge --all --yes",
            "deadletters purge ID --dead");
    }

    private DeadLettersArguments Read(ParseResult parsed) => new(
        parsed.GetValue(_action)!, parsed.GetValue(_id), parsed.GetValue(_all), parsed.GetValue(_queue)!, parsed.GetValue(_failedQueue),
        parsed.GetValue(_connection), parsed.GetValue(_dead), parsed.GetValue(_yes), parsed.GetValue(_json));

    protected override async Task<ExitCode> RunAsync()
    {
        var (parsed, context, cancellationToken) = (Typed, Context, Left);
        var arguments = Read(parsed);
        var action = Nearest.Named("something to do with dead letters", arguments.Action, Actions, name => name);
        RequireTarget(action, arguments);
        var bus = arguments.Bus();
        await using var queues = new DeadLetterQueues(bus, arguments.Queue, arguments.NameOfFailedQueue);
        return await new DeadLettersSession(queues, bus.Host, arguments, context).RunAsync(action, cancellationToken);
    }

    private static void RequireTarget(string action, DeadLettersArguments arguments)
    {
        var mistake = (action, arguments.Id, arguments.All) switch
        {
            (List, not null, _) => "list takes no id. `./lab deadletters show ID` shows one dead letter.",
            (List or Show, _, true) => $"{action} takes no --all.",
            (Show, null, _) => "show needs the id of a dead letter, as `./lab deadletters` lists it.",
            (Replay or Purge, null, false) => $"{action} needs the id of a dead letter, as `./lab deadletters` lists it, or --all.",
            (Replay or Purge, not null, true) => $"{action} takes an id or --all, not both.",
            (not Purge, _, _) when arguments.Dead => $"{action} takes no --dead.",
            _ => null,
        };
        if (mistake is not null)
            throw new BadInputException(mistake);
    }
}
