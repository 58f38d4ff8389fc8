using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>Writes the addresses of the back ends to files, which running callers reload.</summary>
internal static class BackendAddresses
{
    public static string FileOf(ApplicationPlan plan, Service called) =>
        Path.Combine(plan.Data, $"{called.Name}.addresses");

    public static void Write(ApplicationPlan plan)
    {
        var called = Service.All.SelectMany(service => service.Calls).Distinct();
        foreach (var service in called.Where(service => plan.Replicas(service) > 0))
        {
            var urls = Enumerable.Range(0, plan.Replicas(service)).Select(replica => plan.Url(service, replica));
            Disk.Replace(FileOf(plan, service), string.Join('\n', urls));
        }
    }
}
