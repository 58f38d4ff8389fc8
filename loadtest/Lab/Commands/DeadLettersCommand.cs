using System.CommandLine;
using DroneDelivery.Lab.DeadLetters;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Replays;

namespace DroneDelivery.Lab.Commands;

internal sealed record DeadLettersArguments
{
    /// <summary>One of <see cref="DeadLettersCommand.Actions"/>, as it was typed.</summary>
    public string Action { get; init; } = DeadLettersCommand.List;

    /// <summary>Message id; null: none was typed.</summary>
    public string? Id { get; init; }

    public bool All { get; init; }

    public string Queue { get; init; } = BrokerCounters.QueueName;

    /// <summary>Null: the queue's name and <c>-failed</c>.</summary>
    public string? FailedQueue { get; init; }

    /// <summary>Null: a variable has it, or the running application.</summary>
    public string? Connection { get; init; }

    public bool Yes { get; init; }

    /// <summary>Purge what the supervisor has still to deal with, too.</summary>
    public bool Dead { get; init; }

    public bool Json { get; init; }

    public string NameOfFailedQueue => FailedQueue ?? $"{Queue}-failed";

    /// <exception cref="LabException">None was given, and nothing runs.</exception>
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
internal sealed class DeadLettersCommand : Verb<DeadLettersArguments>
{
    public const string List = "list", Show = "show", Replay = "replay", Purge = "purge";

    public static readonly IReadOnlyList<string> Actions = [List, Show, Replay, Purge];

    private readonly Argument<string> _action = new("action")
    {
        Description = "list, show (one with its body), replay (send again and remove) or purge (remove a failed request for good).",
        DefaultValueFactory = _ => List,
    };

    private readonly Argument<string?> _id = new("id")
    {
        Arity = ArgumentArity.ZeroOrOne,
        Description = "The id of a dead letter, as the list shows it.",
    };

    private readonly Option<bool> _all = new("--all")
    {
        Description = "Replay every message that the list shows, or purge every failed request.",
    };

    private readonly Option<string> _queue = new("--queue")
    {
        HelpName = "NAME",
        Description = "The queue that Workflow receives from.",
        DefaultValueFactory = _ => BrokerCounters.QueueName,
    };

    private readonly Option<string?> _failedQueue = new("--failed-queue")
    {
        HelpName = "NAME",
        Description = "The queue to which Workflow moves failed requests. [default: the name of --queue, followed by -failed]",
    };

    private readonly Option<string?> _connection = new("--connection")
    {
        HelpName = "TEXT",
        Description = "Connection string of a Service Bus, with the rights to send and to listen, or the name "
            + "NAMESPACE.servicebus.windows.net to log in by identity. "
            + $"[default: the variable {BusConnection.Variable}, or the application that `./lab up` started]",
    };

    private readonly Option<bool> _dead = new("--dead")
    {
        Description = "Also purge the dead-letter queue of --queue. Workflow's supervisor has yet to undo the requests in it: "
            + "if one is purged before that, its package and its drone assignment stay.",
    };

    private readonly Option<bool> _yes = new("--yes") { Description = "Purge without asking." };
    private readonly Option<bool> _json = SharedOptions.Json("Print the result as JSON.");

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

    protected override DeadLettersArguments Read(ParseResult parsed) => new()
    {
        Action = parsed.GetValue(_action)!,
        Id = parsed.GetValue(_id),
        All = parsed.GetValue(_all),
        Queue = parsed.GetValue(_queue)!,
        FailedQueue = parsed.GetValue(_failedQueue),
        Connection = parsed.GetValue(_connection),
        Dead = parsed.GetValue(_dead),
        Yes = parsed.GetValue(_yes),
        Json = parsed.GetValue(_json),
    };

    public override async Task<ExitCode> RunAsync(
        DeadLettersArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var action = Nearest.Named("something to do with dead letters", arguments.Action, Actions, name => name);
        RequireTarget(action, arguments);
        var bus = arguments.Bus();
        await using var queues = new DeadLetterQueues(bus, arguments.Queue, arguments.NameOfFailedQueue);
        return await new DeadLettersSession(queues, bus.Host, arguments, context).RunAsync(action, cancellationToken);
    }

    /// <exception cref="BadInputException">It is not said what is meant, or said twice.</exception>
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
