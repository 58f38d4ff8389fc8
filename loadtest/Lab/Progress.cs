namespace DroneDelivery.Lab;

/// <summary>
/// What a person sees while waiting: one line that changes on a terminal, few lines elsewhere. On standard error, so that output can be
/// read by scripts.
/// </summary>
internal static class Progress
{
    /// <summary>Lines that are written over on a terminal, and left out elsewhere.</summary>
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
