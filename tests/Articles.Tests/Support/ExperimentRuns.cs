using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Articles.Tests.Support;

internal static class ExperimentRuns
{
    private static readonly MachineRecord Machine = new("Linux", "X64", 2, 8L << 30, ".NET 10", "abc1234", "", null);

    public static async Task<ExperimentRecord> OfAsync(string name, string[] variants, params string[] set) =>
        (await RunAsync(name, variants, set)).Experiments[0];

    public static async Task<ExperimentRun> RunAsync(string name, string[] variants, params string[] set)
    {
        var experiment = Experiment.Load(name);
        var plan = new ExperimentPlan(
            experiment,
            experiment.VariantsOf(variants),
            IsFull: false,
            experiment.Parse(set)
        );
        using var scratch = new OwnFolder();
        var session = new ExperimentSession(plan, scratch.Path, new(FreePorts.Offset()));
        await session.PlayAsync(new Progress<string>(), Cancelled);
        Assert.Empty(Directory.GetFileSystemEntries(scratch.Path));
        return RunOf([session.Record(isWhole: true)], plan.Set);
    }

    public static ExperimentRun RunOf(
        IEnumerable<ExperimentRecord> records,
        IReadOnlyDictionary<string, double>? set = null
    )
    {
        set ??= new Dictionary<string, double>();
        var run = ExperimentRun.Begin(isFull: false, set, DateTimeOffset.UnixEpoch, "", Machine);
        return records.Aggregate(run, (played, record) => played.With(record, reason: null));
    }

    /// <summary>Returns the settings of a variant with changes. The last value of a repeated setting counts.</summary>
    public static Knobs KnobsOf(string name, string variant, params (string Knob, double Value)[] set)
    {
        var experiment = Experiment.Load(name);
        var values = set.GroupBy(it => it.Knob).ToDictionary(knob => knob.Key, knob => knob.Last().Value);
        return experiment.KnobsOf(experiment.VariantsOf([variant])[0], isFull: false, values);
    }

    public static IEnumerable<string> Failing(this ExperimentRecord record) =>
        record.Checks.Where(check => check.Holds == false).Select(check => check.Id);

    /// <summary>Returns the variants that the checks refer to, because only these must run.</summary>
    public static string[] VariantsOf(string name, IEnumerable<string> checks)
    {
        var experiment = Experiment.Load(name);
        return
        [
            .. experiment
                .Checks.Where(check => checks.Contains(check.Id))
                .SelectMany(check => new[] { check.Figure, check.RelativeTo })
                .Select(figure => figure?.Split('.')[0])
                .Where(variant => experiment.Variants.Any(it => it.Name == variant))
                .Distinct()!,
        ];
    }

    public static IReadOnlyList<CheckRecord> Judge(string name, IReadOnlyDictionary<string, double> figures) =>
        ExperimentRecord.Judge(
            Experiment.Load(name),
            [new("", Arm.Real, "", new Dictionary<string, double>(), new(figures))]
        );
}
