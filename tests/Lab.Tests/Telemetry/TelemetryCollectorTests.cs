namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class TelemetryCollectorTests
{
    [Fact]
    public async Task What_the_lab_notes_is_kept_or_said_to_be_refused()
    {
        var cancel = TestContext.Current.CancellationToken;
        var folder = Directory.CreateTempSubdirectory("lab-test").FullName;
        await using (var collector = await TelemetryCollector.StartAsync(folder, 0, TimeProvider.System, cancel))
        {
            Assert.Null(collector.Note("ReplicaStopped", "delivery-0"));
            collector.Store.BeginAt(DateTimeOffset.MaxValue);
            Assert.NotNull(collector.Note("ReplicaStarted", "delivery-0"));
            Assert.Equal(1, collector.Counts.Kept);
        }

        Directory.Delete(folder, recursive: true);
    }
}
