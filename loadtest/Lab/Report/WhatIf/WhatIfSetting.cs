using DroneDelivery.Lab.Stages;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>A stage with knobs, as a link carries it: <c>?stage=4&amp;workflow.prefetchCount=300</c>.</summary>
/// <param name="Knobs">Those that differ from the stage's, at full length.</param>
internal sealed record WhatIfSetting(string Stage, KnobSet Knobs, double K)
{
    /// <summary>Messages of one simulation: many times those of any stage.</summary>
    public const double MostMessages = 100_000;

    private const string StageName = "stage";

    public StagePlan Plan { get; } = Bounded(StagePlan.Of(
        Stages.Stage.Load(Stage), new(K, Knobs, Environment: null, Folder: "", new Ports(0), Seed: 1, Open: false)));

    public IReadOnlyList<string> Arguments =>
    [
        "run",
        Stage,
        .. K == RunOptions.Quick ? [] : K == 1 ? ["--full"] : (string[])["--k", $"{K}"],
        .. Knobs.All.SelectMany(set => (string[])["--set", $"{set.Knob.Name}={set.Knob.Show(set.Value)}"]),
    ];

    /// <param name="query">A stage and knobs; a knob that is there twice counts once, the last time.</param>
    /// <exception cref="BadInputException">No such stage or knob, an impossible value, knobs that do not fit, or too much.</exception>
    public static WhatIfSetting Read(IQueryCollection query, double k)
    {
        var knobs = KnobSet.Parse(
            from pair in query
            where pair.Key != StageName
            from value in pair.Value
            select $"{pair.Key}={value}");
        if (knobs.All.FirstOrDefault(set => set.Knob.IsHidden).Knob is { } hidden)
            throw new BadInputException($"{hidden.Name} is not a knob of this page.");
        return new(query[StageName].ToString() is { Length: > 0 } stage ? stage : "1", Sized(knobs), k);
    }

    /// <summary>Deliveries that fit are counted with instructions of one length.</summary>
    private static KnobSet Sized(KnobSet knobs) =>
        knobs.Number("redis.deliveriesThatFit", 0) > 0 && knobs["load.instructions"] is null
            ? knobs.With("load.instructions", KnobSet.CountedInstructions)
            : knobs;

    private static StagePlan Bounded(StagePlan plan) =>
        plan.Profile.ExpectedRequests + plan.MessagesAtStart is var messages && messages > MostMessages
            ? throw new BadInputException(
                $"This is a load of {NumberText.Of(messages)} messages; the page takes up to {NumberText.Of(MostMessages)}. "
                + "`./lab simulate` has no such limit.")
            : plan;
}
