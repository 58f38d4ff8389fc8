using DroneDelivery.Lab.Measure;

namespace DroneDelivery.Lab.Report;

/// <summary>The figures of this moment, in a row at the top of the live page.</summary>
internal static class LiveTiles
{
    private static readonly (string Column, string Name, string Unit)[] Figures =
    [
        ("incoming", "incoming", "/s"),
        ("outgoing", "outgoing", "/s"),
        ("completed", "completed", "/s"),
        ("waiting", "waiting in the queue", ""),
        ("locked", "locked", ""),
        ("lockLost", "locks lost", "/s"),
        ("deadLetter", "dead-lettered", ""),
    ];

    public static Html Of(RunTelemetry telemetry, LiveStage? stage, DateTimeOffset now, CancellationToken cancellationToken)
    {
        var rows = telemetry.Ask("right-now", new("now", now.AddMinutes(-1), now), cancellationToken);
        var rates = Enumerable.Range(0, rows.Rows).Where(TimeRows.IsOfQueue(rows)).Take(1).SelectMany(row => Figures
            .Select(tile => Tile(tile.Name, Rounded(TimeRows.Number(rows.Column(tile.Column).ElementAt(row))) + tile.Unit)));
        return Html.Of($"<dl class=\"tiles\" title=\"Rates are of the last 10 seconds.\">{Time(stage, now)}{rates}</dl>");
    }

    // Tenths of a large rate change every second and say nothing.
    private static string Rounded(double value) => NumberText.Of(Math.Round(value, value < 10 ? 1 : 0));

    private static Html Time(LiveStage? stage, DateTimeOffset now)
    {
        if (stage is null)
            return Tile("the load", "has not begun");
        var at = Math.Max(0, (now - stage.Record.StartedAt).TotalSeconds);
        var time = TimeSpan.FromSeconds(Math.Floor(at));
        return Html.Of($"{Tile($"stage {stage.Record.Stage}", $@"{time:m\:ss}")}{Tile("users", $"{stage.Record.Profile.UsersAt(at)}")}");
    }

    public static Html Tile(string name, string value) => Html.Of($"<div><dt>{name}</dt><dd>{value}</dd></div>");
}
