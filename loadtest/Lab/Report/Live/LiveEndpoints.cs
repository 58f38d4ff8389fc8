using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Ingest;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.Lab.Report;

/// <summary>The live dashboard at the telemetry collector's address, and its queries.</summary>
internal static class LiveEndpoints
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    public static void MapLivePage(this WebApplication app, TelemetryStore store, LiveRun run, TimeProvider clock)
    {
        var feed = new LiveFeed(store, run, clock);
        var lifetime = app.Services.GetRequiredService<IHostApplicationLifetime>();
        lifetime.ApplicationStopped.Register(feed.Dispose);
        RunTelemetry Now() => new(store.Snapshot(), clock);
        var page = app.MapAsking(Now, new(Now, ViewerQueries.DuringRun, clock.GetUtcNow));
        page.MapGet("/", () =>
            Results.Content(LivePage.Render(store.Window, run.HasFlights).Markup, "text/html; charset=utf-8")
        );
        page.MapGet("/events", (CancellationToken left) =>
            TypedResults.ServerSentEvents(Changes(feed, clock, left, lifetime.ApplicationStopping))
        );
    }

    /// <summary>Streams changes until the viewer disconnects or the run ends.</summary>
    private static async IAsyncEnumerable<SseItem<Delta>> Changes(
        LiveFeed feed,
        TimeProvider clock,
        CancellationToken left,
        [EnumeratorCancellation] CancellationToken stopping
    )
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(left, stopping);
        for (var version = 0L; !either.IsCancellationRequested; )
        {
            var delta = await feed.SinceAsync(version, either.Token);
            if (delta.Pieces.Count > 0)
                yield return new(delta);
            version = delta.Version;
            await Task.Delay(Period, clock, either.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}

/// <summary>The page of the live dashboard, empty until the first event.</summary>
internal static class LivePage
{
    private static readonly (string Id, string Name)[] Pages = [("now", "Now"), (QueryPage.Id, "Query")];

    /// <param name="window">The available telemetry; <c>null</c> for everything.</param>
    public static Html Render(TelemetryWindow? window, bool hasFlights) =>
        Page.Render(
            "Live",
            Pages,
            Html.Of(
                $"""
                <section class="page" id="now" aria-label="Now"><div id="tiles"></div><div id="verdicts"></div>
                {End}{(hasFlights ? Flights : Html.Empty)}
                <div id="stage"></div><div id="slot-map"></div><div id="slot-operations"></div></section>
                {QueryPage.Render(All(window), ViewerQueries.DuringRun)}
                """
            ),
            asks: true,
            [.. Page.Asks, "live.css", "live.js"]
        );

    private static string All(TelemetryWindow? window) =>
        window is null ? "All telemetry received so far" : $"Telemetry received in {window}";

    private static Html Flights =>
        Html.Of($"<p class=\"note\">On a map: <a href=\"{FlightsEndpoints.Path}\">in the air</a></p>");

    private static Html End =>
        new(
            """<p id="lost" class="note" role="status" hidden>The run is over, or the connection is lost. """
                + """This page keeps the last known values; the report is in the run's folder.</p>"""
        );
}
