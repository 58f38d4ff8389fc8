using System.Threading.RateLimiting;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Ingest;

namespace DroneDelivery.Lab.Report;

/// <summary>What has changed on the page.</summary>
/// <param name="Version">To be said the next time.</param>
/// <param name="Pieces">Id of an element → its new content.</param>
internal sealed record Delta(long Version, IReadOnlyDictionary<string, string> Pieces);

/// <summary>
/// The growing page, in pieces. Nothing runs by itself: whoever watches asks once a second, the first who asks pays, and all others get
/// the same. Tiles are made anew each second; charts and map when another of their bins is full, and seldom enough to leave the machine to
/// the run.
/// </summary>
internal sealed class LiveFeed(TelemetryStore store, LiveRun run, TimeProvider clock) : IDisposable
{
    /// <summary>Elements that hold a chart or the map have ids that begin so.</summary>
    private const string Slot = "slot-";

    /// <summary>Charts may take this share of a core's time.</summary>
    private const double Share = 0.03;

    /// <summary>Services send once a second: after this a bin is complete.</summary>
    private static readonly TimeSpan Sent = TimeSpan.FromSeconds(1.1);

    private static readonly TimeSpan TilesEvery = TimeSpan.FromSeconds(0.9),
        Recent = TimeSpan.FromMinutes(10);
    private readonly ConcurrencyLimiter _one = new(new() { PermitLimit = 1, QueueLimit = int.MaxValue });
    private readonly Dictionary<string, (string Html, long Version)> _pieces = [];
    private LiveStage? _stage;
    private long _version,
        _bin;
    private DateTimeOffset _tilesAt,
        _chartsFrom;
    private TimeSpan _took;

    /// <param name="version">What the viewer has; 0 is nothing.</param>
    public async Task<Delta> SinceAsync(long version, CancellationToken cancellationToken)
    {
        using var turn = await _one.AcquireAsync(1, cancellationToken);
        Refresh(clock.GetUtcNow(), cancellationToken);
        return new(
            _version,
            _pieces
                .Where(piece => piece.Value.Version > version)
                .ToDictionary(piece => piece.Key, piece => piece.Value.Html)
        );
    }

    public void Dispose() => _one.Dispose();

    private void Refresh(DateTimeOffset now, CancellationToken cancellationToken)
    {
        if (now - _tilesAt < TilesEvery)
            return;
        _tilesAt = now;
        _version++;
        var telemetry = new RunTelemetry(store.Snapshot());
        Put("tiles", LiveTiles.Of(telemetry, run.Stage, now, cancellationToken));
        Put("verdicts", LiveVerdicts.Of(run));
        var bin = (long)((now - Sent).ToUnixTimeMilliseconds() / (1000 * TimeRows.BinSeconds));
        if (run.Stage is var stage && stage == _stage && (bin == _bin || now < _chartsFrom))
            return;
        if (stage != _stage)
            Forget();
        (_stage, _bin) = (stage, bin);
        var began = clock.GetTimestamp();
        PutCharts(stage, telemetry, now);
        var took = clock.GetElapsedTime(began);
        // What happened once, as the first time does, says nothing about the next.
        (_chartsFrom, _took) = (now + (took < _took ? took : _took) / Share, took);
    }

    private void PutCharts(LiveStage? stage, RunTelemetry telemetry, DateTimeOffset now)
    {
        var start = stage?.Start ?? now - Recent;
        var part = new StageTelemetry(
            telemetry,
            new(stage?.Record.Stage ?? "", start, now),
            stage?.Record.StartedAt ?? start
        );
        PutPanels(Title(stage?.Record), [.. new StageCharts(stage?.Record, part).Every()]);
        Put($"{Slot}map", ApplicationMap.Titled(part, "map"));
        Put($"{Slot}operations", Operations.Render(part));
    }

    private static Html Title(StageRecord? stage) =>
        stage is null
            ? Html.Of($"<p class=\"eyebrow\">The last {Recent.TotalMinutes:0} minutes</p>")
            : Html.Of($"<p class=\"eyebrow\">Stage {stage.Stage} · {stage.Title}</p><h1>{stage.Question}</h1>");

    private void PutPanels(Html title, List<Panel> panels)
    {
        var slots = panels.Select(panel => Html.Of($"<div class=\"slot\" id=\"{Slot}{panel.Chart.Id}\"></div>"));
        Put("stage", Html.Of($"{title}<div class=\"charts\">{slots}</div>"));
        foreach (var panel in panels)
        {
            Put(
                $"{Slot}{panel.Chart.Id}",
                panel.Chart.HasPoints ? SvgChart.Render(panel.Chart, Source.Of(panel.Source)) : Html.Empty
            );
        }
    }

    /// <summary>What belonged to the stage before. The page itself drops it with the places that it had.</summary>
    private void Forget()
    {
        foreach (var id in _pieces.Keys.Where(id => id.StartsWith(Slot, StringComparison.Ordinal)).ToList())
            _pieces.Remove(id);
    }

    private void Put(string id, Html html)
    {
        if (!_pieces.TryGetValue(id, out var known) || known.Html != html.Markup)
            _pieces[id] = (html.Markup, _version);
    }
}
