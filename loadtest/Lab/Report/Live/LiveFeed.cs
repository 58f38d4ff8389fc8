using System.Threading.RateLimiting;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Ingest;

namespace DroneDelivery.Lab.Report;

/// <param name="Version">The version to send with the next request.</param>
/// <param name="Pieces">The new content by element id.</param>
internal sealed record Delta(long Version, IReadOnlyDictionary<string, string> Pieces);

/// <summary>
/// The live dashboard in pieces, rendered on demand: viewers poll once per second and share the result. Charts and map are rendered rarely
/// enough not to disturb the run.
/// </summary>
internal sealed class LiveFeed(TelemetryStore store, LiveRun run, TimeProvider clock) : IDisposable
{
    /// <summary>The id prefix of charts and the map.</summary>
    private const string Slot = "slot-";

    /// <summary>The maximum CPU usage of charts, in cores.</summary>
    private const double Share = 0.03;

    /// <summary>When an interval is complete, because services send every second.</summary>
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

    /// <param name="version">The viewer's version, or 0.</param>
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
        // One slow rendering, such as the first, doesn't predict the next.
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

    /// <summary>Drops the pieces of the previous stage.</summary>
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
