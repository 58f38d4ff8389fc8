namespace DroneDelivery.Kubernetes.Tests.Support;

internal static class Manifests
{
    public static JsonNode Find(string manifests, string kind, string name) =>
        Yaml.Documents(manifests)
            .Single(it => it["kind"]!.ToString() == kind && it["metadata"]!["name"]!.ToString() == name);

    public static JsonNode Pod(string manifests, string workload) =>
        Find(manifests, "Deployment", workload)["spec"]!["template"]!["spec"]!;

    public static JsonNode Container(string manifests, string workload) => Pod(manifests, workload)["containers"]![0]!;

    public static Dictionary<string, string> Environment(JsonNode container) =>
        (container["env"]?.AsArray() ?? []).ToDictionary(it => it!["name"]!.ToString(), it => it!["value"]!.ToString());
}
