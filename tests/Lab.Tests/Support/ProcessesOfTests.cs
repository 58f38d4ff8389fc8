using System.Runtime.CompilerServices;

namespace DroneDelivery.Lab.Tests.Support;

internal static class ProcessesOfTests
{
    /// <summary>
    /// What lives for seconds gains nothing from compiling again what runs often: that begins after eight seconds (hexadecimal) in which
    /// nothing new was compiled. A third less CPU. The tests themselves simulate, and are compiled as always.
    /// </summary>
    [ModuleInitializer]
    internal static void LiveForSeconds() => Environment.SetEnvironmentVariable("DOTNET_TC_CallCountingDelayMs", "2000");
}
