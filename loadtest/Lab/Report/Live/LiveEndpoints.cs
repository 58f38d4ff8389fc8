using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Tables;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.Lab.Report;

/// <summary>
/// The live page beside the telemetry collector: a page, its changes as server-sent events, and queries over what has arrived.
/// </summary>
internal static class LiveEndpoints
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    public static void MapLivePage(this WebApplication app, TelemetryStore store, LiveRun run, TimeProvider clock)
    {
        var feed = new LiveFeed(store, run, clock);
        var query = new LiveQuery(store, clock);
        var lifetime = app.Services.GetRequiredService<IHostApplicationLifetime>();
        lifetime.ApplicationStopped.Register(feed.Dispose);
        lifetime.ApplicationStopped.Register(query.Dispose);
        var page = app.MapGroup("").AddEndpointFilter(OtherSites.Refuse).AddEndpointFilter(OtherSites.NobodysFrame);
        var token = LiveResources.NewToken();
        page.MapResources(run, token);
        page.MapGet("/", () => Results.Content(LivePage.Render(token, hasWhatIf: run.Stage is null).Markup, "text/html; charset=utf-8"));
        page.MapGet("/events", (CancellationToken left) =>
            TypedResults.ServerSentEvents(Changes(feed, clock, left, lifetime.ApplicationStopping)));
        page.MapGet("/schema", () => store.Snapshot().Tables.Values.ToDictionary(
            table => table.Schema.Name,
            table => table.Schema.Columns.ToDictionary(column => column.Name, column => column.Type.KqlName())));
        page.MapPost("/query", (HttpRequest request, CancellationToken left) => query.AnswerAsync(request, left));
        var browse = new LiveBrowse(query, clock);
        page.MapGet("/browse", (HttpRequest request, CancellationToken left) => browse.ListAsync(request, left));
        page.MapGet("/transaction", (string? operation, CancellationToken left) => browse.TransactionAsync(operation, left));
        // Where this page is, a lab runs already.
        app.MapWhatIf(RunOptions.Quick, () => PriceFile.Load(PriceFile.Default), play: null, isMeasuring: () => run.Stage is not null);
    }

    /// <summary>Ends with the viewer, and with the run: a page that is left open keeps nothing alive.</summary>
    private static async IAsyncEnumerable<SseItem<Delta>> Changes(
        LiveFeed feed, TimeProvider clock, CancellationToken left, [EnumeratorCancellation] CancellationToken stopping)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(left, stopping);
        for (var version = 0L; !either.IsCancellationRequested;)
        {
            var delta = await feed.SinceAsync(version, either.Token);
            if (delta.Pieces.Count > 0)
                yield return new(delta);
            version = delta.Version;
            await Task.Delay(Period, clock, either.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
