using DroneDelivery.Gateway.Admission;
using Microsoft.Extensions.Options;
using Yarp.ReverseProxy.Configuration;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>YARP's section <c>ReverseProxy</c>. YARP itself would ignore a name that it does not know, and with it a limit.</summary>
internal sealed class ProxyOptions
{
    public const string Section = "ReverseProxy";

    private const string NoKey = "Anonymous";

    public Dictionary<string, RouteConfig> Routes { get; } = [];

    public Dictionary<string, ClusterConfig> Clusters { get; } = [];

    /// <summary>No policy: <see cref="RequireKey"/> asks for a key, and ASP.NET Core's authorization is told of nothing but the routes
    /// that need none.</summary>
    public IReadOnlyList<RouteConfig> NamedRoutes() =>
        [
            .. Routes.Select(route =>
                route.Value with
                {
                    RouteId = route.Key,
                    AuthorizationPolicy = NeedsKey(route.Value) ? null : NoKey,
                }
            ),
        ];

    public IReadOnlyList<ClusterConfig> NamedClusters() =>
        [.. Clusters.Select(cluster => cluster.Value with { ClusterId = cluster.Key })];

    private static bool NeedsKey(RouteConfig route) =>
        !string.Equals(route.AuthorizationPolicy, NoKey, StringComparison.OrdinalIgnoreCase);

    /// <summary>YARP's own checks and some more, as mistakes of options.</summary>
    public sealed class Validation(IConfigValidator yarp, IOptions<GatewayOptions> gateway)
        : IValidateOptions<ProxyOptions>
    {
        public ValidateOptionsResult Validate(string? name, ProxyOptions options)
        {
            var mistakes = options
                .Routes.SelectMany(route => MistakesIn(route.Value with { RouteId = route.Key }, options))
                .Concat(options.NamedClusters().SelectMany(MistakesIn))
                .Select(mistake => $"{Section}:{mistake}")
                .ToList();
            if (gateway.Value.Keys.Count == 0 && options.Routes.Values.Any(NeedsKey))
            {
                mistakes.Add(
                    $"A route asks for a key, and there is none. Set {GatewayOptions.Section}:{nameof(GatewayOptions.Keys)}:NAME."
                );
            }
            return mistakes.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(mistakes);
        }

        private IEnumerable<string> MistakesIn(RouteConfig route, ProxyOptions options)
        {
            var path = $"{nameof(Routes)}:{route.RouteId}";
            if (route.ClusterId is null || !options.Clusters.ContainsKey(route.ClusterId))
                yield return $"{path}:{nameof(route.ClusterId)}: there is no cluster '{route.ClusterId}'.";
            // The binder leaves it out where it has no member.
            var checkable = route with { Match = route.Match ?? new() };
            foreach (var mistake in yarp.ValidateRouteAsync(checkable).AsTask().GetAwaiter().GetResult())
                yield return $"{path}: {mistake.Message}";
        }

        private IEnumerable<string> MistakesIn(ClusterConfig cluster)
        {
            var path = $"{nameof(Clusters)}:{cluster.ClusterId}";
            foreach (var (id, replica) in cluster.Destinations ?? new Dictionary<string, DestinationConfig>())
            {
                if (
                    !Uri.TryCreate(replica.Address, UriKind.Absolute, out var address)
                    || address.Scheme is not ("http" or "https")
                )
                {
                    yield return $"{path}:{nameof(cluster.Destinations)}:{id}: '{replica.Address}' is not like http://ingestion.";
                }
            }
            if (cluster.HttpRequest?.ActivityTimeout <= TimeSpan.Zero)
                yield return $"{path}:{nameof(cluster.HttpRequest)}: an ActivityTimeout is longer than 0.";
            foreach (var mistake in yarp.ValidateClusterAsync(cluster).AsTask().GetAwaiter().GetResult())
                yield return $"{path}: {mistake.Message}";
        }
    }
}
