namespace DroneDelivery.Lab;

/// <summary>
/// What a person sees while waiting: one line that changes on a terminal, few lines elsewhere. On standard error, so that output can be
/// read by scripts.
/// </summary>
internal static class Progress
{
    /// <summary>Lines that are written over on a terminal, and left out elsewhere.</summary>
    public static IProgress<string> Lines(Outlet error) => new WrittenOver(error);

    /// <summary>Tells how far work is until it is disposed: twice a second on a terminal, every ten seconds elsewhere.</summary>
    /// <param name="line">What is said.</param>
    /// <param name="context">To whom, and the clock.</param>
    public static IAsyncDisposable Every(Func<string> line, LabContext context)
    {
        var (error, isTerminal) = (context.Error.Text, context.Error.IsTerminal);
        return new Repeated(TimeSpan.FromSeconds(isTerminal ? 0.5 : 10), context.Time, _ => error.WriteAsync(Said()))
        {
            AtEnd = () => error.Write(isTerminal ? "\r\x1b[K" : ""),
        }.Start();

        string Said() => isTerminal ? $"\r{line()}\x1b[K" : line() + Environment.NewLine;
    }

    private sealed class WrittenOver(Outlet error) : IProgress<string>
    {
        public void Report(string value)
        {
            if (error.IsTerminal)
                error.Text.Write($"\r{value}\x1b[K");
        }
    }
}
