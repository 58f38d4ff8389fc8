using DroneDelivery.Lab.Measure;

namespace DroneDelivery.Lab.Report;

/// <summary>The page at the collector's address. It is empty until the first event.</summary>
internal static class LivePage
{
    private static readonly (string Id, string Name)[] Pages =
        [("now", "Now"), (BrowsePage.Id, "Browse"), ("resources", "Resources"), ("query", "Query")];

    /// <param name="token">Without it nobody stops a replica.</param>
    /// <param name="hasWhatIf">Whether the page with the sliders answers: not beside a stage that is played.</param>
    public static Html Render(string token, bool hasWhatIf) => Page.Render("Live", Pages, Html.Of($"""
        <section class="page" id="now" aria-label="Now"><div id="tiles"></div><div id="verdicts"></div>
        {End}{(hasWhatIf ? WhatIf : Html.Empty)}
        <div id="stage"></div><div id="slot-map"></div></section>
        {BrowsePage.OfLive()}{Resources(token)}<section class="page" id="query" aria-labelledby="query-title">
        <header><p class="eyebrow">Over everything that has arrived so far</p><h2 id="query-title">Query</h2></header>
        <form id="ask"><label for="kql">KQL; Tab completes, Ctrl+Enter runs</label>
        <textarea id="kql" rows="8" spellcheck="false" autocomplete="off" aria-controls="words">requests
        | summarize count() by cloud_RoleName, resultCode</textarea>
        <ul id="words" class="words" aria-label="Completions" hidden></ul>
        <p class="says">{Limits()}</p>
        <p class="ask"><button type="submit">Run</button> {Choice()}</p></form>
        <div id="answer" aria-live="polite"></div>
        </section>

        """), asks: true, "browse.css", "browse.js", "live.css", "live.js");

    private static Html Resources(string token) => Html.Of($"""
        <section class="page" id="resources" aria-labelledby="resources-title" data-token="{token}">
        <header><p class="eyebrow">The processes of the application on this machine</p><h2 id="resources-title">Resources</h2></header>
        <p id="resources-says" class="says" role="status"></p><div id="resources-rows"></div>
        <div id="resources-log" class="trace" hidden></div>
        </section>

        """);

    private static Html WhatIf => new("""<p class="note">Before you turn a knob: <a href="/what-if">what if?</a></p>""");

    private static Html End => new(
        """<p id="lost" class="note" role="status" hidden>The run is over, or the connection is lost. """
        + """What was last known stays here; the report is in the run's folder.</p>""");

    private static Html Choice() => Html.Of(
        $"""<label>or begin with <select id="files"><option value="">a query of the lab</option>{Files()}</select></label>""");

    private static Html Limits() => Html.Of(
        $"One query at a time, for at most {LiveQuery.Limits.Time.TotalSeconds:0} s and {LiveQuery.Limits.ResultRows:N0} rows; "
        + $"a table shows {AnswerPage.MostRows}. In the files of the lab, the start is that of the run and the end is now.");

    private static IEnumerable<Html> Files() => QueryFile.All.Keys
        .Select(name => Html.Of($"<option value=\"{QueryFile.Text(name).Trim()}\">{name}</option>"));
}
