using System.Runtime.InteropServices;

namespace DroneDelivery.Lab.Cluster;

/// <summary>CPU time of a Mac, from Mach's <c>host_statistics</c>.</summary>
internal sealed class MacCpu
{
    // HOST_CPU_LOAD_INFO: ticks of user, system, idle and nice.
    private const int CpuLoadInfo = 3,
        States = 4,
        Idle = 2;

    private readonly uint _host;
    private readonly Lock _lock = new();
    private readonly TickSums _sums = new(States);

    private MacCpu(uint host) => _host = host;

    public static MacCpu? OfThisMachine { get; } = OperatingSystem.IsMacOS() ? new(HostSelf()) : null;

    public MachineCpuReading? Read()
    {
        var ticks = new uint[States];
        var count = (uint)States;
        if (HostStatistics(_host, CpuLoadInfo, ticks, ref count) != 0 || count != States)
            return null;
        lock (_lock)
        {
            var sums = _sums.Add(ticks);
            return new(sums.Sum() - sums[Idle], sums.Sum());
        }
    }

    [DllImport("libSystem.dylib", EntryPoint = "mach_host_self")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern uint HostSelf();

    [DllImport("libSystem.dylib", EntryPoint = "host_statistics")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int HostStatistics(uint host, int flavor, [Out] uint[] info, ref uint count);
}

/// <summary>Sums 32-bit counters that wrap around.</summary>
internal sealed class TickSums(int counters)
{
    private readonly long[] _sums = new long[counters];
    private uint[]? _before;

    public IReadOnlyList<long> Add(uint[] ticks)
    {
        for (var i = 0; i < _sums.Length; i++)
            _sums[i] += _before is null ? 0 : unchecked(ticks[i] - _before[i]);
        _before = ticks;
        return [.. _sums];
    }
}
