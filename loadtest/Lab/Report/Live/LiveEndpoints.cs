using System.Net.ServerSentEvents;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Ingest;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.Lab.Report;

/// <summary>The live page beside the telemetry collector: a page, its changes as server-sent events, and queries.</summary>
internal static class LiveEndpoints
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    public static void MapLivePage(this WebApplication app, TelemetryStore store, LiveRun run, TimeProvider clock)
    {
        var feed = new LiveFeed(store, run, clock);
        var lifetime = app.Services.GetRequiredService<IHostApplicationLifetime>();
        lifetime.ApplicationStopped.Register(feed.Dispose);
        RunTelemetry Now() => new(store.Snapshot(), clock);
        var page = app.MapAsking(Now, new(Now, ViewerQueries.BesideRun, clock.GetUtcNow));
        var token = RandomNumberGenerator.GetHexString(32);
        page.MapResources(run, token);
        page.MapGet("/", () => Results.Content(
            LivePage.Render(token, run.Stage is null, store.Window, run.Processes?.Switch is not null).Markup, "text/html; charset=utf-8"));
        page.MapGet("/events", (CancellationToken left) =>
            TypedResults.ServerSentEvents(Changes(feed, clock, left, lifetime.ApplicationStopping)));
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
