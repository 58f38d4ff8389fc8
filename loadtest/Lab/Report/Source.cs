using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>Where a picture or table comes from: the query, to be read and copied.</summary>
internal static class Source
{
    public static Html Of(Answer? answer) => answer is null ? Html.Empty : Of(answer.Query, answer.Text);

    /// <param name="query">A file of loadtest/queries, without <c>.kql</c>.</param>
    public static Html Of(string query, string text) => Html.Of($"""
        <details class="kql"><summary>KQL</summary><p>{KqlQuery.Parse(text).Question} <code>{query}.kql</code></p>
        <pre tabindex="0"><code>{WithoutQuestion(text)}</code></pre><button type="button" class="copy">Copy query</button></details>
        """);

    private static string WithoutQuestion(string text) => text.StartsWith("//", StringComparison.Ordinal)
        ? text[(text.IndexOf('\n', StringComparison.Ordinal) + 1)..]
        : text;
}
