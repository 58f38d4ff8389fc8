namespace DroneDelivery.Lab.Cli;

/// <summary>The only class that uses the console.</summary>
internal static class Terminal
{
#pragma warning disable RS0030 // Everybody else writes to what is opened here.
    public static LabContext Open() =>
        new(
            new(Console.Out, isTerminal: !Console.IsOutputRedirected),
            new(Console.Error, isTerminal: !Console.IsErrorRedirected),
            TimeProvider.System
        )
        {
            OpenIn = () => Console.In,
            CanAsk = !Console.IsInputRedirected && !Console.IsErrorRedirected,
        };
#pragma warning restore RS0030
}
