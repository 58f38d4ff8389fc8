using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Operations;

internal sealed class DeadLettersCommand : Verb
{
    private const string List = "list",
        Show = "show",
        Replay = "replay",
        Purge = "purge";

    private readonly Argument<string> _action = new("action")
    {
        Description =
            "list, show (one with its body), replay (send again and remove) or purge (remove a failed request for good).",
        DefaultValueFactory = _ => List,
    };

    private readonly Argument<string?> _id = OptionOf.Optional("id", "The id of a dead letter, as the list shows it.");

    private readonly Option<bool> _all = OptionOf.Flag(
        "--all",
        "Replay every message that the list shows, or purge every failed request."
    );

    private readonly Option<string> _queue = OptionOf.Text(
        "--queue",
        "NAME",
        "The queue that Workflow receives from.",
        BrokerCounters.QueueName
    );

    private readonly Option<string?> _failedQueue = OptionOf.Text(
        "--failed-queue",
        "NAME",
        "The queue to which Workflow moves failed requests. [default: the name of --queue, followed by -failed]"
    );

    private readonly Option<string?> _connection = OptionOf.Text(
        "--connection",
        "TEXT",
        "Connection string of a Service Bus, with the rights to send and to listen, or the name "
            + "NAMESPACE.servicebus.windows.net to log in by identity. "
            + $"[default: the variable {BusConnection.Variable}, or the application that `./lab up` started]"
    );

    private readonly Option<bool> _dead = OptionOf.Flag(
        "--dead",
        "Also purge the dead-letter queue of --queue. Workflow's supervisor has yet to undo the requests in it: "
            + "if one is purged before that, its package and its drone assignment stay."
    );

    private readonly Option<bool> _yes = OptionOf.Flag("--yes", "Purge without asking.");
    private readonly Option<bool> _json = OptionOf.Json("Print the result as JSON.");

    /// <summary>The queue and its host, as people write them.</summary>
    private string _at = "";

    public DeadLettersCommand()
        : base("deadletters", "Lists dead letters and failed requests, shows one, sends them again or removes them.")
    {
        Takes(_action, _id, _all, _queue, _failedQueue, _connection, _dead, _yes, _json);
        HasHelp(
            output =>
                output.WriteLine(
                    "It reads the dead-letter queue of --queue, and the queue of failed requests with its own dead-letter queue.\n"
                        + "list and show change nothing.\n"
                        + "With an id, replay and purge also receive the messages before it and give them back: "
                        + "the delivery count of each of these rises by one.\n"
                ),
            "deadletters",
            "deadletters show ID",
            "deadletters replay ID",
            "deadletters replay --all --connection \"Endpoint=sb://HOST;SharedAccessKeyName=NAME;SharedAccessKey=KEY\"",
            "deadletters purge --all --yes",
            "deadletters purge ID --dead"
        );
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var action = Nearest.Named(
            "something to do with dead letters",
            Get(_action),
            [List, Show, Replay, Purge],
            name => name
        );
        RequireTarget(action);
        var bus = new BusConnection(
            Get(_connection) ?? Environment.GetEnvironmentVariable(BusConnection.Variable) ?? OfTheRunningLab()
        );
        await using var queues = new DeadLetterQueues(bus, Get(_queue), FailedQueue);
        _at = $"{Get(_queue)} on {bus.Host}";
        var letters = await FindAsync(queues);
        return action switch
        {
            Show => await ShowAsync(queues, Meant(letters)),
            Replay => await DoAsync("replayed", Meant(letters), queues.ReplayAsync),
            Purge => await DoAsync("purged", await AgreedAsync(Meant(letters)), queues.PurgeAsync),
            _ => await ListAsync(letters),
        };
    }

    private string FailedQueue => Get(_failedQueue) ?? $"{Get(_queue)}-failed";

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

    private void RequireTarget(string action)
    {
        var mistake = (action, Get(_id), Get(_all)) switch
        {
            (List, not null, _) => "list takes no id. `./lab deadletters show ID` shows one dead letter.",
            (List or Show, _, true) => $"{action} takes no --all.",
            (Show, null, _) => "show needs the id of a dead letter, as `./lab deadletters` lists it.",
            (Replay or Purge, null, false) =>
                $"{action} needs the id of a dead letter, as `./lab deadletters` lists it, or --all.",
            (Replay or Purge, not null, true) => $"{action} takes an id or --all, not both.",
            (not Purge, _, _) when Get(_dead) => $"{action} takes no --dead.",
            _ => null,
        };
        if (mistake is not null)
            throw new BadInputException(mistake);
    }

    private async Task<IReadOnlyList<DeadLetter>> FindAsync(DeadLetterQueues queues)
    {
        var found = 0;
        await using (Progress.Every(() => $"{found} dead letters so far…", Context))
            return await queues.ListAsync(Error.WriteLine, count => found = count, Left);
    }

    /// <summary>More than one if more than one message has this id.</summary>
    private IReadOnlyList<DeadLetter> Meant(IReadOnlyList<DeadLetter> letters)
    {
        if (Get(_id) is not { } id)
            return letters;
        var meant = letters.Where(letter => letter.Id == id).ToList();
        if (meant.Count > 0)
            return meant;
        var all = $"It has {letters.Count}: `./lab deadletters` lists them.";
        throw new BadInputException(
            $"No dead letter of {_at} has the id {id}. {Nearest.Hint(id, letters.Select(letter => letter.Id).Distinct(), all)}"
        );
    }

    /// <summary>Those that the supervisor is done with, unless more was asked for.</summary>
    private async Task<IReadOnlyList<DeadLetter>> PurgeableAsync(IReadOnlyList<DeadLetter> letters)
    {
        var kept = Get(_dead) ? [] : letters.Where(letter => letter.Origin.Queue != FailedQueue).ToList();
        if (kept.Count == 0)
            return letters;
        var why =
            $"in {kept[0].Place}, where Workflow's supervisor has still to undo it. --dead purges it all the same.";
        if (Get(_id) is not null)
            throw new BadInputException($"{kept[0].Id} lies {why}");
        await Error.WriteLineAsync($"{kept.Count} stay, {kept[0].Id} for example: it lies {why}");
        return [.. letters.Except(kept)];
    }

    private async Task<ExitCode> ListAsync(IReadOnlyList<DeadLetter> letters)
    {
        if (Get(_json))
            await Out.Text.WriteLineAsync(DeadLettersText.Json(letters));
        else if (letters.Count == 0)
            await Out.Text.WriteLineAsync($"{_at} has no dead letters.");
        else
            Out.Screen.WriteList(DeadLettersText.Table(letters, Clock.GetUtcNow()));
        return ExitCode.Held;
    }

    private async Task<ExitCode> ShowAsync(DeadLetterQueues queues, IReadOnlyList<DeadLetter> letters)
    {
        var shown = new List<ShownLetter>();
        foreach (var letter in letters)
        {
            var message = await queues.ReadAsync(letter, Left);
            shown.Add(
                new(letter, message ?? throw new LabException($"{letter.Id} is gone: somebody has just taken it."))
            );
        }
        await Out.Text.WriteLineAsync(
            Get(_json) ? DeadLettersText.Json(shown) : DeadLettersText.Of(shown, Clock.GetUtcNow())
        );
        return ExitCode.Held;
    }

    private async Task<ExitCode> DoAsync(
        string what,
        IReadOnlyList<DeadLetter> letters,
        Func<IReadOnlyList<DeadLetter>, Action, CancellationToken, Task<IReadOnlyList<DeadLetter>>> work
    )
    {
        var done = 0;
        IReadOnlyList<DeadLetter> left;
        await using (Progress.Every(() => $"{done} of {letters.Count} {what}…", Context))
            left = await work(letters, () => done++, Left);
        if (Get(_json))
            await Out.Text.WriteLineAsync(DeadLettersText.Json(what, letters.Except(left), left));
        else
            await Out.Text.WriteLineAsync($"{done} of {letters.Count} dead letters of {_at} {what}.");
        if (left.Count == 0)
            return ExitCode.Held;
        await Error.WriteLineAsync(
            $"{left.Count} could not be taken, {left[0].Id} for example: another receiver holds them, or has taken them."
        );
        return ExitCode.Failed;
    }

    /// <returns>Those that may be purged.</returns>
    private async Task<IReadOnlyList<DeadLetter>> AgreedAsync(IReadOnlyList<DeadLetter> meant)
    {
        var letters = await PurgeableAsync(meant);
        if (!Get(_yes) && letters.Count > 0)
        {
            Context.Agree(
                $"This removes {letters.Count} dead letters of {_at} for good.",
                "Do it?",
                "Add --yes to agree.",
                "Nothing was removed."
            );
        }
        return letters;
    }
}
