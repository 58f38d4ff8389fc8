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
    public static IAsyncDisposable Every(Func<string> line, LabContext context) =>
        new Repeated(line, context.Error.Text, context.Error.IsTerminal, context.Time);

    /// <inheritdoc cref="Every"/>
    internal sealed class Repeated : IAsyncDisposable
    {
        private static readonly TimeSpan OnATerminal = TimeSpan.FromSeconds(0.5), Elsewhere = TimeSpan.FromSeconds(10);
        private readonly CancellationTokenSource _stop = new();
        private readonly Task _loop;

        public Repeated(Func<string> line, TextWriter output, bool isTerminal, TimeProvider clock) =>
            _loop = LoopAsync(line, output, isTerminal, clock);

        public async ValueTask DisposeAsync()
        {
            await _stop.CancelAsync();
            await _loop;
            _stop.Dispose();
        }

        private async Task LoopAsync(Func<string> line, TextWriter output, bool isTerminal, TimeProvider clock)
        {
            using var timer = new PeriodicTimer(isTerminal ? OnATerminal : Elsewhere, clock);
            try
            {
                while (await timer.WaitForNextTickAsync(_stop.Token))
                    await output.WriteAsync(isTerminal ? $"\r{line()}\x1b[K" : line() + Environment.NewLine);
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                if (isTerminal)
                    await output.WriteAsync("\r\x1b[K");
            }
        }
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
