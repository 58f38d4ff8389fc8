using System.Diagnostics;
using DroneDelivery.Lab.Processes;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary>What a person sees while waiting: one line that changes on a terminal, few lines elsewhere. On standard error, so that output can be read by scripts.</summary>
internal static class Progress
{
    public static async Task<Application> StartAsync(ApplicationPlan plan, CancellationToken cancellationToken)
    {
        var watch = Stopwatch.StartNew();
        var all = plan.AllReplicas.Count() + 2;
        var application = Console.IsErrorRedirected
            ? await Application.StartAsync(plan, new Silent(), cancellationToken)
            : await Terminal.Error.Status().StartAsync($"Starting {all} processes…", context => Application.StartAsync(plan, new Told(context), cancellationToken));
        Terminal.Error.WriteLine($"{all} processes ready in {watch.Elapsed.TotalSeconds:0.0} s.");
        return application;
    }

    /// <summary>Lines that are written over on a terminal, and left out elsewhere.</summary>
    public static IProgress<string> Lines() => new WrittenOver();

    private sealed class WrittenOver : IProgress<string>
    {
        public void Report(string value)
        {
            if (!Console.IsErrorRedirected)
                Console.Error.Write($"\r{value}\x1b[K");
        }
    }

    private sealed class Silent : IProgress<(int Ready, int All)>
    {
        public void Report((int Ready, int All) value)
        {
        }
    }

    private sealed class Told(StatusContext context) : IProgress<(int Ready, int All)>
    {
        public void Report((int Ready, int All) value) => context.Status($"Starting: {value.Ready} of {value.All} ready…");
    }
}
