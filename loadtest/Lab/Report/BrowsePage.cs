namespace DroneDelivery.Lab.Report;

/// <summary>Filtered lists and transactions. The script fills it from the sample in a report, or asks the lab.</summary>
internal static class BrowsePage
{
    public const string Id = "browse";

    private static readonly string[] Lists = ["failures", "deliveries", "requests", "calls", "logs"];

    /// <summary>Characters of the sample in a report, which has to stay small.</summary>
    private const int MostOfSample = 280_000;

    /// <param name="times">Name → from when to when: what the list of times offers.</param>
    public static Html OfReport(
        IReadOnlyList<SampleTrace> traces,
        IEnumerable<(string Name, DateTimeOffset From, DateTimeOffset To)> times
    ) =>
        Render(
            "A sample: failures, slow and typical transactions of each stage. ./lab report --serve has all that the run has kept.",
            times.Select(Option),
            Html.Of(
                $"<script type=\"application/json\" id=\"sample\">{new Html(TraceJson.Of(traces, MostOfSample))}</script>\n"
            )
        );

    /// <inheritdoc cref="OfReport"/>
    public static Html OfServed(IEnumerable<(string Name, DateTimeOffset From, DateTimeOffset To)> times) =>
        Render("All that the run has kept.", times.Select(Option), Html.Empty);

    public static Html OfLive(string what) => Render(what, Recent, Html.Empty);

    private static Html Option((string Name, DateTimeOffset From, DateTimeOffset To) time) =>
        Html.Of($"<option value=\"{TimeOf(time.From)}/{TimeOf(time.To)}\">{time.Name}</option>");

    /// <summary>Seconds before now: the list that is asked for is short where much has arrived.</summary>
    private static IEnumerable<Html> Recent =>
        new[] { (60, "minute"), (300, "5 minutes"), (900, "15 minutes") }.Select(last =>
            Html.Of($"<option value=\"-{last.Item1}\">last {last.Item2}</option>")
        );

    /// <param name="list">One of <see cref="Lists"/>.</param>
    /// <param name="filters">Name and value of each; those without a value are left out.</param>
    public static string Link(string list, params IEnumerable<(string Name, string? Value)> filters) =>
        $"#{Id}?list={list}"
        + string.Concat(
            filters
                .Where(filter => !string.IsNullOrEmpty(filter.Value))
                .Select(filter => $"&{filter.Name}={Uri.EscapeDataString(filter.Value!)}")
        );

    /// <summary>As links and lists have it.</summary>
    public static string TimeOf(DateTimeOffset time) => $"{time.UtcDateTime:yyyy-MM-ddTHH:mm:ss.fff'Z'}";

    private static Html Render(string what, IEnumerable<Html> times, Html sample) =>
        Page.Section(
            Id,
            what,
            "Deliveries, requests, calls, failures and logs",
            Html.Of(
                $"""
                <form id="browse-form" class="filters">
                <label>List <select name="list">{Lists.Select(list =>
                    Html.Of($"<option>{list}</option>")
                )}</select></label>
                <label>Time <select name="time"><option value="">any</option>{times}</select></label>
                {Text("service", "Service", 40)}{Text("name", "Name has", 60)}{Text("code", "Result code", 20)}
                <label>Outcome <select name="outcome">
                <option value="">any</option><option>failed</option><option>succeeded</option></select></label>
                <label>Longer than, ms <input name="over" inputmode="decimal" size="6" maxlength="9" pattern="[0-9]*[.]?[0-9]*"></label>
                {Text("text", "Text", 100)}
                <label>Order <select name="order">
                <option value="">newest first</option><option value="slowest">slowest first</option></select></label>
                <button type="submit">Show</button></form>
                <p id="browse-says" class="says" role="status"></p>
                <div id="browse-trace" class="trace" hidden></div>
                <div id="browse-rows"></div>
                <noscript><p class="note">This page needs JavaScript.</p></noscript>
                {sample}
                """
            )
        );

    private static Html Text(string name, string label, int length) =>
        Html.Of(
            $"<label>{label} <input name=\"{name}\" maxlength=\"{length}\" size=\"14\" autocomplete=\"off\" spellcheck=\"false\"></label>\n"
        );
}
