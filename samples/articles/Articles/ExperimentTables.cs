using DroneDelivery.Lab;
using DroneDelivery.Lab.Judge;
using Spectre.Console;
using Table = DroneDelivery.Lab.Table;

namespace DroneDelivery.Articles;

/// <summary>Tables of an experiment, for the terminal and the report.</summary>
internal static class ExperimentTables
{
    public static string NameOf(Arm arm) => arm == Arm.Emulated ? "emulated" : "real";

    public static Table Checks(ExperimentRecord record, Experiment experiment) =>
        Table.Of(
            experiment.Title,
            ["", "check", "variant type", "article", "measured#", "band#", "verdict"],
            record.Checks,
            check =>
                [
                    check.Id,
                    new(check.Claim, Note: check.Holds == false ? $"It fails when {check.Why}." : ""),
                    NameOf(experiment.FigureOf(check.Figure).Arm),
                    new(check.Article, Tone.Quiet),
                    Cell.Of(check.Measured, check.Unit, Tone.Strong),
                    check.Band,
                    new(check.Verdict, ToneOf(check.Holds)),
                ]
        );

    public static Table Fits(Experiment experiment) =>
        Table.Of("Fitted knobs", ["knobs", "fitted to", "checked by"], experiment.Fits, fit =>
            [
                string.Join(", ", fit.Knobs),
                fit.Rows,
                fit.JudgedBy.Count > 0 ? string.Join(", ", fit.JudgedBy) : "no other row",
            ]
        );

    public static Table Knobs(ExperimentRecord record, Experiment experiment) =>
        Table.Of(
            "Knobs",
            ["variant", "knob", "value#", "meaning"],
            record.Variants.SelectMany(
                variant => variant.Knobs,
                (variant, knob) => (variant.Name, knob.Key, knob.Value)
            ),
            it =>
                [
                    it.Name,
                    it.Key,
                    Cell.Of(it.Value, $" {experiment.Knobs[it.Key].Unit}"),
                    new(experiment.Knobs[it.Key].Meaning, Tone.Quiet),
                ]
        );

    public static Table Figures(ExperimentRecord record, Experiment experiment) =>
        Table.Of(
            "Figures",
            ["figure", "value#", "meaning"],
            record.Variants.SelectMany(variant => variant.Exhibits.Figures),
            it =>
                [
                    it.Key,
                    Cell.Of(it.Value, experiment.FigureOf(it.Key).Unit),
                    new(experiment.FigureOf(it.Key).Meaning, Tone.Quiet),
                ]
        );

    /// <summary>Writes a run to the terminal; the last line is the result.</summary>
    public static void Write(IAnsiConsole output, ExperimentRun run, string report)
    {
        foreach (var record in run.Experiments)
            Write(output, record, Experiment.Load(record.Name), isChanged: run.Run.Changed.Count > 0);
        if (run.Run.Changed.Count > 0)
            output.WriteLine("You changed settings, so published ranges don't apply.");
        var checks = run.Experiments.SelectMany(record => record.Checks).ToList();
        var leftOut = run.Experiments.Sum(record => record.LeftOut.Count) switch
        {
            0 => "",
            1 => " 1 variant was left out.",
            var several => $" {several} variants were left out.",
        };
        output.WriteLine(
            $"The run is {Outcomes.Say(run.Run.Outcome)}. {CheckRecord.CountOf(checks)}{leftOut} Report: {report}"
        );
    }

    private static void Write(IAnsiConsole output, ExperimentRecord record, Experiment experiment, bool isChanged)
    {
        output.WriteLine($"{record.Name}: {experiment.Question}");
        foreach (var table in record.Variants.SelectMany(variant => variant.Exhibits.Tables))
            output.WriteList(table.ToTable());
        output.Write(Checks(record, experiment));
        foreach (var it in record.LeftOut)
            output.WriteLine($"{record.Name}, {it.Variant}, was left out: {it.Reason}");
        foreach (var check in record.Checks.Where(check => check.Holds == false))
        {
            var why = isChanged ? "does not hold with the changed settings" : $"fails: {check.Why}";
            output.WriteLine($"{check.Id} {why}.");
        }
    }

    private static Tone ToneOf(bool? holds) =>
        holds switch
        {
            true => Tone.Good,
            false => Tone.Bad,
            null => Tone.Quiet,
        };
}
