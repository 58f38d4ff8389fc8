using System.Text.Json;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Run;

/// <summary>Knobs that only those who run the target can turn, as commands for them.</summary>
internal sealed class PlatformKnobs(StagePlan plan, BusConnection bus)
{
    private string ValuesFile => Path.Combine(plan.Options.Folder, "values.yaml");

    /// <summary>Writes the stage's knobs as values of the chart, shortened, into the run's folder.</summary>
    public void WriteValues()
    {
        Directory.CreateDirectory(plan.Options.Folder);
        var stage = plan.Stage with { Knobs = plan.Knobs };
        File.WriteAllText(
            ValuesFile,
            HelmValues.Of(stage, $"Made by `./lab run --target`: durations and stocks divided by {plan.K}.")
        );
    }

    /// <summary>One for each platform that the target may run on.</summary>
    public IEnumerable<string> Commands()
    {
        if (bus.IsLoopback)
            yield return "./lab up " + string.Join(' ', ApplicationKnobs());
        yield return "helm upgrade drone helm/drone-delivery --namespace drone-delivery --reuse-values --force-conflicts --wait "
            + $"--values {Path.GetRelativePath(Repository.Root, ValuesFile)}";
        if (bus.AzureNamespace is not { } name)
            yield break;
        yield return $"az servicebus queue update --resource-group GROUP --namespace-name {name} "
            + $"--name {BrokerCounters.QueueName}{Queue()}";
        if (plan.Knobs["nodes.count"] is { } nodes)
            yield return $"az aks nodepool scale --resource-group GROUP --cluster-name drone --name user --node-count {nodes.Number}";
        if (plan.Knobs.Number("redis.maxMemory", 0) is > 0 and var bytes)
        {
            yield return $"# Redis with {bytes:0.####} bytes for data: no Azure Managed Redis is that small "
                + "(azd env set REDIS_SKU Balanced_B0 has 0.5 GB)";
        }
    }

    public void Require(QueueState queue)
    {
        var differences = string.Join(' ', Differences(queue));
        if (differences.Length > 0)
        {
            throw new LabException(
                $"{differences} Change the queue with the commands above, play the stage at full length (--full), "
                    + "or tell with --set what the queue has."
            );
        }
    }

    private IEnumerable<string> Differences(QueueState queue)
    {
        if (plan.Knobs["queue.lockDuration"] is { } wanted && queue.LockDuration != TimeSpan.FromSeconds(wanted.Number))
            yield return $"The queue's lock lasts {queue.LockDuration.TotalSeconds:0.####} s, the stage's {wanted.Number:0.####} s.";
        if (plan.Knobs["queue.maxDeliveryCount"] is { } count && queue.MaxDeliveryCount != (int)count.Number)
            yield return $"The queue dead-letters after {queue.MaxDeliveryCount} deliveries, the stage's after {count.Number:0.####}.";
    }

    private IEnumerable<string> ApplicationKnobs() =>
        plan
            .Knobs.All.Where(set => set.Knob.Process != "load" && set.Knob.Name != "queue.messagesAtStart")
            .Select(set => $"--set {set.Knob.Name}={set.Knob.Show(set.Value)}")
            .Append($"--environment {plan.Stage.Environment}");

    private string Queue() =>
        string.Concat(
            BrokerConfig
                .Properties(plan.Knobs)
                .Select(it => $" --{JsonNamingPolicy.KebabCaseLower.ConvertName(it.Key)} {it.Value}")
        );
}
