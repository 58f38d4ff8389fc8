namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Runs as a Markdown page: the article's claims, the predictions, and the measurements.</summary>
internal static class ResultsPage
{
    public static string Of(IReadOnlyList<RunRecord> runs)
    {
        var text = new StringBuilder()
            .Line("# Results")
            .Line("")
            .Line(
                "How well the lab repeats the article: every check of every stage. `ResultsPageTests` writes this page."
            )
            .Line("")
            .Line(
                "Rates and durations depend on the emulated latency and CPU that `loadtest/environments` declares. The queue, "
                    + "its messages, HTTP, Redis and its memory limit are real. *Predicted* comes from [the model](../explanation/model.md), "
                    + "and the column beside *Measured* says whether both agree. A check holds if the measured figure is within its *Band*."
            );
        var told = new HashSet<string>();
        foreach (var run in runs)
            Append(text, run, told);
        return text.ToString();
    }

    /// <param name="told">
    /// Stages whose notes are already on the page: those at another scale have the same notes.
    /// </param>
    private static void Append(StringBuilder text, RunRecord run, HashSet<string> told)
    {
        if (run.Stages.Count == 0)
            return;
        var length = run.IsFull ? "Full length" : $"Shortened by {run.K:0.##}";
        text.Append(
            Heading(
                run,
                $"{length}: stages {string.Join(", ", run.Stages.Select(stage => stage.Stage))}",
                run.Outcome,
                run.Reason is { } reason ? $". {FirstLine(reason)}" : ""
            )
        );
        foreach (var stage in run.Stages)
            Append(text, told.Add(stage.Stage) ? stage : stage with { Notes = [] });
    }

    /// <param name="more">The text after the outcome.</param>
    private static string Heading(RunRecord run, string title, string outcome, string more)
    {
        var machine = run.Machine;
        var system =
            $"{machine.Cores} cores, {machine.Memory / 1073741824.0:0.#} GiB, {machine.System}, {machine.Runtime}";
        var changed = string.Concat(
            run.Changed.Select((set, i) => $", {(i == 0 ? "changed: " : "")}{set.Key}={set.Value}")
        );
        return $"""

            ## {title}

            {run.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm} UTC, `{run.Command}`{changed}: **{outcome}**{more}

            {system}{Drivers(run)}, commit {machine.Commit ?? "unknown"}.

            """;
    }

    private static void Append(StringBuilder text, StageRecord stage)
    {
        text.Line("").Line($"### {stage.Stage}: {stage.Title}").Line("");
        if (stage.Reason is { } reason)
            text.Line($"**{stage.Outcome}**: {FirstLine(reason)}").Line("");
        text.Append(StageTables.Checks(stage).Markdown());
        if (
            (stage.Differences.Count > 0 ? VerdictText.Of(stage) : VerdictText.Predictions(stage)) is
            { Length: > 0 } predictions
        )
        {
            text.Line("").Line(predictions);
        }

        if (stage.Figures.TryGetValue("cpu.application", out var application) && double.IsFinite(application.Value))
            text.Line("").Line(Cpu(application, stage));
        foreach (var note in stage.Notes)
            text.Line("").Line(note);
    }

    private static string Cpu(FigureRecord application, StageRecord stage)
    {
        var (machine, lab) = (stage.Figures["machine.cpu"].Value, stage.Figures["cpu.lab"].Value);
        var share = stage.Figures["cpu.labPerApplication"].Value;
        return $"This machine was {machine:0} % busy. The application used {application.Value / 100:0.00} cores; "
            + $"the lab and the load used {lab / 100:0.00}, which is {share:P0} of that.";
    }

    private static string Drivers(RunRecord run) =>
        string.Concat(
            run.Stages.Select(stage => stage.Load?.Driver)
                .OfType<string>()
                .Distinct()
                .Select(driver => $", load by {driver}")
        );

    private static string FirstLine(string text) => text.Split('\n')[0].Trim();

    private static StringBuilder Line(this StringBuilder text, string line) => text.Append(line).Append('\n');
}
