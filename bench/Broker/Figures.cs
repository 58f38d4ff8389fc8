namespace DroneDelivery.Bench.Broker;

/// <summary>What was measured of one broker under one load.</summary>
internal sealed class Figures
{
    /// <summary>Messages per second.</summary>
    public Sample Rate { get; } = new();

    /// <summary>Microseconds of the broker's CPU for a message.</summary>
    public Sample Cpu { get; } = new();

    /// <summary>Bytes that the broker allocated for a message; empty: it does not say.</summary>
    public Sample Allocated { get; } = new();

    /// <summary>Measures one run of the load.</summary>
    /// <param name="broker">Under test.</param>
    /// <param name="count">Of messages.</param>
    /// <param name="load">Sends, receives or both.</param>
    public async Task AddAsync(BrokerUnderTest broker, int count, Func<Task> load)
    {
        var allocated = await broker.AllocatedBytesAsync();
        var cpu = broker.Process.CpuTimeOfAll();
        var start = TimeProvider.System.GetTimestamp();
        await load();
        Rate.Add(count / TimeProvider.System.GetElapsedTime(start).TotalSeconds);
        Cpu.Add((broker.Process.CpuTimeOfAll() - cpu).TotalMicroseconds / count);
        if (allocated is not null && await broker.AllocatedBytesAsync() is { } after)
            Allocated.Add((after - allocated.Value) / count);
    }

    public string Show() =>
        $"{Rate.Show()}/s, {Cpu.Show("N1")} us{(Allocated.IsEmpty ? "" : $", {Allocated.Median:N0} B")}";

    /// <summary>How many times as fast as another, and at which part of its CPU.</summary>
    public string ComparedWith(Figures other) =>
        $"{Rate.Median / other.Rate.Median:N2} x at 1/{other.Cpu.Median / Cpu.Median:N1} of the CPU";
}
