namespace DroneDelivery.Lab;

/// <summary>Progress on standard error: one line that changes on a terminal, few lines elsewhere.</summary>
internal static class Progress
{
    /// <summary>Overwrites its line on a terminal; writes nothing elsewhere.</summary>
    public static IProgress<string> Lines(Outlet error) => new WrittenOver(error);

    private sealed class WrittenOver(Outlet error) : IProgress<string>
    {
        public void Report(string value)
        {
            if (error.IsTerminal)
                error.Text.Write($"\r{value}\x1b[K");
        }
    }
}
