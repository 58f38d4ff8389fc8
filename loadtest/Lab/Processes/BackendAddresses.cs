namespace DroneDelivery.Lab.Processes;

/// <summary>
/// Tells Workflow and Ingestion where the back ends listen, in files that they read while they run: with more replicas a Workflow goes on,
/// warm, as it does in a cluster.
/// </summary>
internal static class BackendAddresses
{
    /// <param name="plan">Names the folder.</param>
    /// <param name="backend">Package, Drone Scheduler or Delivery.</param>
    public static string FileOf(ApplicationPlan plan, Service backend) => Path.Combine(plan.Data, $"{backend.Name}.addresses");

    public static void Write(ApplicationPlan plan)
    {
        foreach (var backend in Service.Backends.Where(backend => plan.Replicas(backend) > 0))
        {
            var file = FileOf(plan, backend);
            var urls = Enumerable.Range(0, ReplicasCalled(plan, backend)).Select(replica => plan.Url(backend, replica).ToString());
            File.WriteAllLines(file + ".next", urls);
            File.Move(file + ".next", file, overwrite: true);
        }
    }

    // The fault leaves all but one without work.
    private static int ReplicasCalled(ApplicationPlan plan, Service backend) =>
        plan.Knobs.Number("fault.oneBackend", 0) == 0 ? plan.Replicas(backend) : 1;
}
