using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>Where a viewer types a query. The page's script sends it to the lab.</summary>
internal static class QueryPage
{
    public const string Id = "query";

    public static Html Render(string about, QueryLimits limits) => Page.Section(Id, about, "Query", Html.Of($"""
        <form id="ask"><label for="kql">KQL; Tab completes, Ctrl+Enter runs</label>
        <textarea id="kql" rows="8" spellcheck="false" autocomplete="off" aria-controls="words">requests
        | summarize count() by cloud_RoleName, resultCode</textarea>
        <ul id="words" class="words" aria-label="Completions" hidden></ul>
        <p class="says">{Says(limits)}</p>
        <p class="ask"><button type="submit">Run</button> {Choice()}</p></form>
        <div id="answer" aria-live="polite"></div>
        """));

    private static Html Choice() => Html.Of(
        $"""<label>or begin with <select id="files"><option value="">a query of the lab</option>{Files()}</select></label>""");

    private static Html Says(QueryLimits limits) => Html.Of(
        $"One query at a time, for at most {limits.Time.TotalSeconds:0} s and {limits.ResultRows:N0} rows; "
        + $"a table shows {AnswerPage.MostRows}. In the files of the lab, the start is that of the run and the end is now.");

    private static IEnumerable<Html> Files() => QueryFile.All.Keys
        .Select(name => Html.Of($"<option value=\"{QueryFile.Text(name).Trim()}\">{name}</option>"));
}
