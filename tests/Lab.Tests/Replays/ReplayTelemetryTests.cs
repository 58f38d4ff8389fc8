namespace DroneDelivery.Lab.Tests.Replays;

public sealed class ReplayTelemetryTests
{
    /// <summary>Otherwise, failures that have not arrived yet would count as none.</summary>
    [Theory]
    [InlineData(0, null)]
    [InlineData(0.99, null)]
    [InlineData(1, 3.0)]
    public void Error_count_is_known_once_all_telemetry_has_arrived(double arrived, double? failed)
    {
        var measured = new ComputedStage("2") { Capacity = 12 }.Measure() with
        {
            Told = Sources.Stocks | Sources.WholeStage,
        };
        var figures = new Dictionary<string, double>
        {
            ["telemetry.accepted"] = Math.Floor(arrived * measured.Load.Accepted),
            ["telemetry.errors"] = 3,
        };

        var (told, missing) = Replay.With(measured, figures);

        Assert.Equal(failed, FigureTable.Of(told).TryGetValue("http.5xx", out var value) ? value : null);
        Assert.Equal(failed is null, missing is not null);
    }
}
