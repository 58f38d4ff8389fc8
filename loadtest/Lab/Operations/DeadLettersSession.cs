using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Operations;

/// <summary>One call of <c>lab deadletters</c>.</summary>
internal sealed class DeadLettersSession(
    DeadLetterQueues queues, string host, DeadLettersArguments arguments, LabContext context)
{
    private TextWriter Output => context.Out.Text;

    public async Task<ExitCode> RunAsync(string action, CancellationToken cancellationToken)
    {
        var letters = await FindAsync(cancellationToken);
        return action switch
        {
            DeadLettersCommand.Show => await ShowAsync(Meant(letters), cancellationToken),
            DeadLettersCommand.Replay => await DoAsync("replayed", Meant(letters), queues.ReplayAsync, cancellationToken),
            DeadLettersCommand.Purge => await DoAsync("purged", await AgreedAsync(Meant(letters)), queues.PurgeAsync, cancellationToken),
            _ => await ListAsync(letters),
        };
    }

    private async Task<IReadOnlyList<DeadLetter>> FindAsync(CancellationToken cancellationToken)
    {
        var found = 0;
        await using (Progress.Every(() => $"{found} dead letters so far…", context))
            return await queues.ListAsync(context.Error.Text.WriteLine, count => found = count, cancellationToken);
    }

    /// <summary>More than one if more than one message has this id.</summary>
    private IReadOnlyList<DeadLetter> Meant(IReadOnlyList<DeadLetter> letters)
    {
        if (arguments.Id is not { } id)
            return letters;
        var meant = letters.Where(letter => letter.Id == id).ToList();
        if (meant.Count > 0)
            return meant;
        var near = Nearest.To(id, letters.Select(letter => letter.Id).Distinct());
        throw new BadInputException(
            $"No dead letter of {arguments.Queue} on {host} has the id {id}. "
                + (near.Count > 0
                    ? $"Did you mean {string.Join(" or ", near)}?"
                    : $"It has {letters.Count}: `./lab deadletters` lists them."));
    }

    /// <summary>Those that the supervisor is done with, unless more was asked for.</summary>
    private async Task<IReadOnlyList<DeadLetter>> PurgeableAsync(IReadOnlyList<DeadLetter> letters)
    {
        var kept = arguments.Dead ? [] : letters.Where(letter => letter.Origin.Queue != arguments.NameOfFailedQueue).ToList();
        if (kept.Count == 0)
            return letters;
        var why = $"in {kept[0].Place}, where Workflow's supervisor has still to undo it. --dead purges it all the same.";
        if (arguments.Id is not null)
            throw new BadInputException($"{kept[0].Id} lies {why}");
        await context.Error.Text.WriteLineAsync($"{kept.Count} stay, {kept[0].Id} for example: it lies {why}");
        return [.. letters.Except(kept)];
    }

    private async Task<ExitCode> ListAsync(IReadOnlyList<DeadLetter> letters)
    {
        if (arguments.Json)
            await Output.WriteLineAsync(DeadLettersText.Json(letters));
        else if (letters.Count == 0)
            await Output.WriteLineAsync($"{arguments.Queue} on {host} has no dead letters.");
        else
            context.Out.Screen.WriteList(DeadLettersText.Table(letters, context.Time.GetUtcNow()));
        return ExitCode.Held;
    }

    private async Task<ExitCode> ShowAsync(IReadOnlyList<DeadLetter> letters, CancellationToken cancellationToken)
    {
        foreach (var letter in letters)
        {
            var message = await queues.ReadAsync(letter, cancellationToken)
                ?? throw new LabException($"{letter.Id} is gone: somebody has just taken it.");
            await Output.WriteLineAsync(
                arguments.Json ? DeadLettersText.Json(letter, message) : DeadLettersText.Of(letter, message, context.Time.GetUtcNow()));
        }
        return ExitCode.Held;
    }

    private async Task<ExitCode> DoAsync(
        string what,
        IReadOnlyList<DeadLetter> letters,
        Func<IReadOnlyList<DeadLetter>, Action, CancellationToken, Task<IReadOnlyList<DeadLetter>>> work,
        CancellationToken cancellationToken)
    {
        var done = 0;
        IReadOnlyList<DeadLetter> left;
        await using (Progress.Every(() => $"{done} of {letters.Count} {what}…", context))
            left = await work(letters, () => done++, cancellationToken);
        if (arguments.Json)
            await Output.WriteLineAsync(DeadLettersText.Json(what, letters.Except(left), left));
        else
            await Output.WriteLineAsync($"{done} of {letters.Count} dead letters of {arguments.Queue} on {host} {what}.");
        if (left.Count == 0)
            return ExitCode.Held;
        await context.Error.Text.WriteLineAsync(
            $"{left.Count} could not be taken, {left[0].Id} for example: another receiver holds them, or has taken them.");
        return ExitCode.Failed;
    }

    /// <returns>Those that may be purged.</returns>
    private async Task<IReadOnlyList<DeadLetter>> AgreedAsync(IReadOnlyList<DeadLetter> meant)
    {
        var letters = await PurgeableAsync(meant);
        if (!arguments.Yes && letters.Count > 0)
        {
            context.Agree(
                $"This removes {letters.Count} dead letters of {arguments.Queue} on {host} for good.", "Do it?",
                "Add --yes to agree.", "Nothing was removed.");
        }
        return letters;
    }
}
