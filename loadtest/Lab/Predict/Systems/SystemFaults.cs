using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>What a system's file may not say.</summary>
internal static class SystemFaults
{
    private const int Most = 10_000;

    /// <exception cref="BadInputException">Nothing can be simulated with it.</exception>
    public static SystemFile Valid(this SystemFile it, Func<string, string> where) =>
        Of(it).FirstOrDefault() is { Field: not null } fault
            ? throw new BadInputException($"{where(fault.Field)}: {fault.Text}.")
            : it;

    private static IEnumerable<(string Field, string Text)> Of(SystemFile it) =>
        [
            .. Missing(it),
            .. OfLoad(it.Load),
            .. OfNodes(it.Nodes),
            .. it.Services.SelectMany(service => OfService(service.Key, service.Value, it)),
            .. OfQueue(it.Queue),
        ];

    private static IEnumerable<(string Field, string Text)> Missing(SystemFile it)
    {
        if (it.Load is null)
            yield return ("load", "load has to say what comes in: { \"perSecond\": 40 }");
        if (it.Services.Count == 0)
        {
            yield return ("services", "services has to name the one that receives, and those that it calls");
            yield break;
        }

        var names = string.Join(", ", it.Services.Keys);
        if (!it.Services.ContainsKey(it.Receives))
        {
            yield return (
                "receives",
                $"receives has to be one of the services ({names}){Hint(it.Receives, it.Services.Keys)}"
            );
        }

        if (it.Accepts is not null && !it.Services.ContainsKey(it.Accepts))
        {
            yield return (
                "accepts",
                $"accepts has to be one of the services ({names}){Hint(it.Accepts, it.Services.Keys)}"
            );
        }
    }

    private static IEnumerable<(string Field, string Text)> OfLoad(SystemLoad? load)
    {
        if (load is null)
            yield break;
        if (load.PerSecond is null == load.MaxUsers is null)
            yield return ("load", "load has either perSecond or maxUsers");
        if (load.PerSecond is <= 0 or > 100_000)
            yield return ("load.perSecond", "load.perSecond has to be above 0, at most 100,000");
        if (load.MaxUsers is <= 0 or > 100_000)
            yield return ("load.maxUsers", "load.maxUsers has to be from 1 to 100,000");
        if (
            load
            is { StartUsers: < 0 }
                or { StepUsers: < 1 }
                or { StepSeconds: <= 0 }
                or { RequestEveryMilliseconds: < 1 }
        )
        {
            yield return ("load", "stepUsers, stepSeconds and requestEveryMilliseconds have to be above 0");
        }

        if (load.Duration is <= 0 or > 86_400)
            yield return ("load.duration", "load.duration has to be above 0s, at most 24h");
    }

    private static IEnumerable<(string Field, string Text)> OfNodes(SystemNodes? nodes)
    {
        if (
            nodes is not null
            && (nodes.Count is < 1 or > Most || nodes.VCpu is < 1 or > Most || nodes.System.Servers >= nodes.VCpu)
        )
        {
            yield return (
                "nodes",
                $"nodes.count and nodes.vCpu have to be from 1 to {Most:#,0}, and the system has to leave some of it"
            );
        }
    }

    private static IEnumerable<(string Field, string Text)> OfQueue(SystemQueue it)
    {
        if (it.LockDuration is < 1 or > 300)
            yield return ("queue.lockDuration", "queue.lockDuration has to be from 1s to 5m");
        if (it.MaxDeliveryCount < 1)
            yield return ("queue.maxDeliveryCount", "queue.maxDeliveryCount has to be at least 1");
        if (it.MessagesAtStart < 0)
            yield return ("queue.messagesAtStart", "queue.messagesAtStart has to be at least 0");
    }

    private static IEnumerable<(string Field, string Text)> OfService(string name, SystemService it, SystemFile system)
    {
        var services = system.Services;
        var field = $"services.{name}";
        if (it.Replicas is < 1 or > Most)
            yield return ($"{field}.replicas", $"{name}.replicas has to be from 1 to {Most:#,0}");
        foreach (
            var unknown in it.Calls.SelectMany(step => step.Services).Where(called => !services.ContainsKey(called))
        )
        {
            yield return (
                $"{field}.calls",
                $"{name}.calls: {unknown} is not one of the services{Hint(unknown, services.Keys)}"
            );
        }

        if (it.MaxConcurrentCalls is < 1 or > Most)
            yield return ($"{field}.maxConcurrentCalls", $"{name}.maxConcurrentCalls has to be from 1 to {Most:#,0}");
        if (it.PrefetchCount < 0 || (it.PrefetchCount > 0 && it.PrefetchCount < it.MaxConcurrentCalls))
        {
            yield return (
                $"{field}.prefetchCount",
                $"{name}.prefetchCount has to be 0, or at least maxConcurrentCalls"
            );
        }
    }

    private static string Hint(string name, IEnumerable<string> names) =>
        Nearest.To(name, names) is [var near, ..] ? $"; did you mean {near}?" : "";
}
