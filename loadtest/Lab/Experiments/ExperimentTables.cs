using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Experiments as tables for the terminal, the report and the page of results.</summary>
internal static class ExperimentTables
{
    public static Table Checks(ExperimentRecord record)
    {
        var experiment = Experiment.Load(record.Name);
        return Table.Of(experiment.Title, ["", "check", "arm", "article", "measured#", "band#", "verdict"], record.Checks, check =>
        [
            check.Id,
            new(check.Claim, Note: check.Holds == false ? $"It fails when {check.Why}." : ""),
            ExperimentReport.ArmOf(experiment.FigureOf(check.Figure).Arm),
            new(check.Article, Tone.Quiet),
            Cell.Of(check.Measured, check.Unit, Tone.Strong),
            check.Band,
            new(check.Verdict, check.Holds switch { true => Tone.Good, false => Tone.Bad, null => Tone.Quiet }),
        ]);
    }

    public static Table Fits(Experiment experiment) => Table.Of(
        "What was fitted", ["knobs", "fitted to", "judged by"], experiment.Fits, fit =>
            [string.Join(", ", fit.Knobs), fit.Rows, fit.JudgedBy.Count > 0 ? string.Join(", ", fit.JudgedBy) : "no other row"]);

    public static Table Of(ExperimentTable table) =>
        Table.Of(table.Title, table.Head, table.Rows, row => [.. row.Select(text => (Cell)text)]);
}

/// <summary>Records of experiments as a part of the page docs/reference/results.md.</summary>
internal static class ExperimentResults
{
    public static string Of(IReadOnlyList<ExperimentRecord> records) => string.Concat(records.Select(Of));

    private static string Of(ExperimentRecord record)
    {
        var experiment = Experiment.Load(record.Name);
        var more = $". {CheckRecord.CountOf(record.Checks)}{(record.Reason is { } reason ? " " + reason.Split('\n')[0] : "")}"
            + string.Concat(record.LeftOut.Select(it => $" {it.Variant} was left out: {it.Reason}"));
        return ResultsPage.Heading(
            $"{(record.IsFull ? "Full length" : "Quick")}: {record.Name}, {experiment.Article.Title}", record.StartedAt, record.Command,
            record.Changed.Select(set => $"{set.Key}={set.Value}"), record.Outcome, more, record.Machine)
            + "\n" + ExperimentTables.Checks(record).Markdown();
    }
}
