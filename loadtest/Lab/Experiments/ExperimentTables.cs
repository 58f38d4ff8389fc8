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

    /// <summary>Which rows of the article were used for what.</summary>
    public static Table Fits(Experiment experiment) => Table.Of(
        "What was fitted", ["knobs", "fitted to", "judged by"], experiment.Fits, fit =>
            [string.Join(", ", fit.Knobs), fit.Rows, fit.JudgedBy.Count > 0 ? string.Join(", ", fit.JudgedBy) : "no other row"]);

    public static Table Of(ExperimentTable table) =>
        Table.Of(table.Title, table.Head, table.Rows, row => [.. row.Select(text => (Cell)text)]);

    public static Table Knobs(IReadOnlyList<ExperimentKnobDifference> knobs) => Table.Of(
        "Knobs that differ", ["experiment", "variant", "knob", "first#", "second#"], knobs, it =>
            [it.Experiment, it.Variant, it.Knob, Cell.Of(it.First), Cell.Of(it.Second, tone: Tone.Strong)]);

    public static Table Figures(IReadOnlyList<ExperimentFigureDifference> figures) => Table.Of(
        "Figures that differ",
        ["experiment", "figure", "arm", "meaning", "first#", "second#", "difference#", "noise#"],
        figures,
        it =>
        [
            it.Experiment,
            it.Figure,
            ExperimentReport.ArmOf(it.Arm),
            new(Experiment.Load(it.Experiment).FigureOf(it.Figure).Meaning, Tone.Quiet),
            Cell.Of(it.First, it.Unit),
            Cell.Of(it.Second, it.Unit, Tone.Strong),
            it.Share is { } share ? $"{share:+0.0 %;−0.0 %}" : "",
            new(it.NoiseText, Tone.Quiet),
        ]);
}
