using System.Text.Json;
using DroneDelivery.Lab.Stages;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>The page with a slider for each knob. What it shows comes with its first question.</summary>
internal static class WhatIfPage
{
    /// <param name="token">Whoever has it got it with this page.</param>
    /// <param name="live">Where a run that the page starts can be watched; null: it cannot start one.</param>
    public static Html Render(string token, double k, string? live) =>
        Page.Render(
            "What if",
            [("what-if", "What if")],
            Page.Section(
                "what-if",
                $"{Length(k)}; knobs are at full length",
                "What if?",
                level: "h1",
                lead: new(
                    "<p class=\"answer\">Each slider is a knob of the lab. The model plays the stage again when one moves.</p>"
                ),
                content: Html.Of(
                    $"""
                    <p class="presets"><label for="stage">Begin with stage</label> <select id="stage">{Stage.All().Select(
                        Option
                    )}</select>
                    <button type="button" id="reset">Back to the stage</button></p>
                    <div class="what-if">
                    <form id="knobs" aria-label="Knobs">{Slider.All.GroupBy(slider => slider.Group).Select(
                        Group
                    )}</form>
                    <div class="answers">
                    <p id="mistake" class="error" role="alert"></p>
                    <div id="tiles"></div>
                    <div id="says" class="words-of-it" role="status" aria-live="polite"></div>
                    <div class="charts"><div id="throughput"></div><div id="backlog"></div><div id="locks"></div><div id="nodes"></div></div>
                    <h2>Play this</h2>
                    <p>The lab plays it with real processes: <code id="command"></code></p>
                    <p><button type="button" id="play"{(live is null ? " disabled" : "")}>Play this</button>
                    <span id="played" role="status">{(live is null ? NotHere : "")}</span></p>
                    <p class="note">The address of this page carries the settings: copy it to pass them on.</p>
                    </div></div>
                    <script type="application/json" id="known">{Known(token, live)}</script>
                    """
                )
            ),
            asks: true,
            "live.css",
            "what-if.css",
            "what-if.js"
        );

    private const string NotHere = "Type the command in a terminal, once this lab has ended: one runs at a time.";

    private static string Length(double k) =>
        k == 1 ? "Simulated at full length" : $"Simulated with durations and stocks divided by {NumberText.Of(k)}";

    private static Html Option(Stage stage) =>
        Html.Of($"<option value=\"{stage.Id}\">{stage.Id}: {stage.Title}</option>");

    private static Html Group(IGrouping<string, Slider> group) =>
        Html.Of($"<fieldset><legend>{group.Key}</legend>{group.Select(Field)}</fieldset>");

    /// <summary>The slider for a hand, the field for an exact value; both have names that are read out.</summary>
    private static Html Field(Slider slider)
    {
        var (name, knob) = (slider.Name, slider.Knob);
        return Html.Of(
            $"""
            <div class="knob"><label for="{name}" title="{knob.Meaning}">{name}</label>
            <input type="number" aria-label="{name}, exact value" data-of="{name}" min="{knob.Min}" max="{knob.Max}" step="any">
            <input type="range" id="{name}" min="{slider.Min}" max="{slider.Max}" step="{slider.Step}" aria-describedby="{name}-is">
            <span class="is" id="{name}-is">{knob.Meaning}{(
                knob.Unit == KnobUnit.Seconds ? ", in seconds" : ""
            )}</span></div>

            """
        );
    }

    /// <remarks>The serializer writes &lt; and &amp; as escapes, so nothing in it can end the script element.</remarks>
    private static Html Known(string token, string? live) =>
        new(
            JsonSerializer.Serialize(
                new
                {
                    token,
                    live,
                    stages = Stage.All().ToDictionary(stage => stage.Id, Published),
                },
                JsonSerializerOptions.Web
            )
        );

    private static Dictionary<string, double> Published(Stage stage)
    {
        var (profile, environment) = (StepProfile.Load(stage.Profile), DeclaredEnvironment.Load(stage.Environment));
        return Slider.All.ToDictionary(slider => slider.Name, slider => slider.Published(stage, profile, environment));
    }
}

/// <summary>A stage with knobs, as a link carries it: <c>?stage=4&amp;workflow.prefetchCount=300</c>.</summary>
/// <param name="Knobs">Those that differ from the stage's, at full length.</param>
internal sealed record WhatIfSetting(string Stage, KnobSet Knobs, double K)
{
    /// <summary>Messages of one simulation: many times those of any stage.</summary>
    public const double MostMessages = 100_000;

    private const string StageName = "stage";

    public StagePlan Plan { get; } =
        Bounded(
            StagePlan.Of(
                Stages.Stage.Load(Stage),
                new(K, Knobs, Environment: null, Folder: "", new Ports(0), Seed: 1, Open: false)
            )
        );

    public IReadOnlyList<string> Arguments =>
        [
            "run",
            Stage,
            .. K == RunOptions.Quick ? []
            : K == 1 ? ["--full"]
            : (string[])["--k", $"{K}"],
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
            select $"{pair.Key}={value}"
        );
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
                    + "`./lab simulate` has no such limit."
            )
            : plan;
}
