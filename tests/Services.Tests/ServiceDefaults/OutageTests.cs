using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class OutageTests : IDisposable
{
    private readonly RecordedLogs _logs = new();
    private readonly OutageLog _outage;

    public OutageTests() => _outage = new OutageLog("Store", _logs.CreateLogger("test"));

    [Fact]
    public void Alternating_causes_are_logged_once_per_outage()
    {
        for (var i = 0; i < 100; i++)
            _outage.Failed(i % 2 == 0 ? "Unreachable." : "Exhausted.");
        Assert.Equal(2, _logs.Lines.Count);

        _outage.Succeeded();
        _outage.Succeeded();
        _outage.Failed("Unreachable.");

        Assert.Equal(4, _logs.Lines.Count);
        Assert.Single(_logs.With("Store recovered."));
    }

    [Fact]
    public void Many_different_causes_are_not_all_logged()
    {
        for (var i = 0; i < 100; i++)
            _outage.Failed($"Port {i} failed.");

        Assert.InRange(_logs.Lines.Count, 1, 10);
    }

    public void Dispose() => _logs.Dispose();
}
