using System.Reflection;

namespace DroneDelivery.Lab.Report;

/// <summary>The layout of a page: navigation, style sheets and script in one file.</summary>
internal static class Page
{
    /// <summary>Allows no external resources, even if a message contains markup.</summary>
    private const string Alone =
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

    /// <summary>The style sheet and script of the query editor.</summary>
    public static readonly IReadOnlyList<string> Asks = ["query.css", "query.js"];

    public static Html Style => Html.Of($"{Resource("report.css")}{Resource("charts.css")}");

    /// <param name="asks">Whether the page can send queries to its server.</param>
    public static Html Render(
        string title,
        IEnumerable<(string Id, string Name)> pages,
        Html content,
        bool asks = false,
        params IReadOnlyList<string> own
    ) =>
        Html.Of(
            $"""
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="{Alone}{(asks ? "; connect-src 'self'" : "")}">
            <title>{title} – Drone Delivery</title>
            <style>
            {Style}{Resources(own, ".css")}</style>
            </head>
            <body>
            <a class="skip" href="#content">Skip to the content</a>
            <nav aria-label="Pages"><span class="brand">Drone Delivery</span><ul>
            {pages.Select(page => Html.Of($"<li><a href=\"#{page.Id}\">{page.Name}</a></li>"))}</ul></nav>
            <main id="content">
            {content}</main>
            <script>
            {Resource("report.js")}{Resources(own, ".js")}</script>
            </body>
            </html>

            """
        );

    /// <summary>Renders a section with an entry in the navigation.</summary>
    public static Html Section(
        string id,
        string eyebrow,
        string title,
        Html content,
        Html lead = default,
        string level = "h2"
    ) =>
        Html.Of(
            $"""
            <section class="page" id="{id}" aria-labelledby="{id}-title">
            <header><p class="eyebrow">{eyebrow}</p><{level} id="{id}-title">{title}</{level}>{lead}</header>
            {content}</section>

            """
        );

    private static IEnumerable<Html> Resources(IEnumerable<string> names, string kind) =>
        names.Where(name => name.EndsWith(kind, StringComparison.Ordinal)).Select(Resource);

    private static Html Resource(string name)
    {
        using var stream = Assembly.GetExecutingAssembly().GetManifestResourceStream(name)!;
        using var reader = new StreamReader(stream);
        return new(reader.ReadToEnd());
    }
}
