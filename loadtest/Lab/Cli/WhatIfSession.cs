using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>The page of <c>lab plan --open</c>, until Ctrl-C.</summary>
internal static class WhatIfSession
{
    public static async Task ServeAsync(PlanArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var run = arguments.Run;
        var knobs = SharedOptions.Knobs(run.Set, run.Replicas);
        if (run.Environment is not null)
            throw new BadInputException("The page takes the environment of each stage: leave --environment out.");
        await using var server = await WhatIfServer.StartAsync(
            arguments.Port, run.IsFull ? 1 : run.K, arguments.Questions.Prices.Name, run.Ports, cancellationToken);
        string[] query =
        [
            $"stage={run.Stages.FirstOrDefault(stage => stage != RunPlan.Everything, "1")}",
            .. knobs.All.Select(set => $"{set.Knob.Name}={Uri.EscapeDataString(set.Knob.Show(set.Value))}"),
        ];
        var address = $"{server.Address}?{string.Join('&', query)}";
        await context.Out.Text.WriteLineAsync($"What if: {address}   Ctrl-C ends it.");
        Browser.TryOpen(address, context.Error.Text);
        await Task.Delay(Timeout.Infinite, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
