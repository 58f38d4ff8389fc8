using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json.Nodes;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;

namespace DroneDelivery.Articles.GatewayPolicies;

/// <summary>Requests of one kind, at the gateway whose policies they are about.</summary>
/// <param name="Gateway">Which of <see cref="Gateways"/>.</param>
/// <param name="Next">Makes the request of this number, for a path below this address.</param>
internal sealed record PolicyLoad(
    string Name,
    string Title,
    int Gateway,
    HttpStatusCode Expected,
    Func<Uri, long, HttpRequestMessage> Next
)
{
    /// <summary>
    /// Files of <c>samples/articles/policies</c>, a process for each entry. Loads that are compared have processes of their own, so that
    /// none runs code that another has warmed up; refusals share that of validation.
    /// </summary>
    public static readonly IReadOnlyList<string> Gateways = ["return-response", "forward", "forward", "validate"];

    private const string Path = "api/deliveryrequests";

    private static readonly string[] Required =
    [
        "ownerId",
        "pickupLocation",
        "dropOffLocation",
        "pickupTime",
        "packageInfo",
    ];

    /// <summary>Whether each of its requests becomes a message of the queue.</summary>
    public bool IsAccepted => Expected == HttpStatusCode.Accepted;

    public bool IsRefused =>
        Expected is HttpStatusCode.Unauthorized or HttpStatusCode.RequestEntityTooLarge or HttpStatusCode.BadRequest;

    /// <summary>A load for each set of policies, and one for each way of being refused.</summary>
    /// <remarks>The back end's part of a GET is small, as in the article: Ingestion has no GET without an id, and returns 405.</remarks>
    public static IReadOnlyList<PolicyLoad> All()
    {
        var valid = DeliveryRequests.Load();
        var invalid = InvalidBodies(File.ReadAllText(DeliveryRequests.FilePath));
        return
        [
            new("answer", "return-response, GET", 0, HttpStatusCode.OK, (at, _) => Get(at, "api/hello")),
            new("forward", "forward, GET", 1, HttpStatusCode.MethodNotAllowed, (at, _) => Get(at, Path)),
            new("forwardPost", "forward, POST", 2, HttpStatusCode.Accepted, (at, n) => Post(at, valid.Create($"{n}"))),
            new("validate", "validate and forward, POST", 3, HttpStatusCode.Accepted, (at, n) =>
                Post(at, valid.Create($"{n}"))
            ),
            new("noKey", "refused: no key", 3, HttpStatusCode.Unauthorized, (at, n) =>
                WithoutKey(at, valid.Create($"{n}"))
            ),
            new("invalid", "refused: not of the schema", 3, HttpStatusCode.BadRequest, (at, n) =>
                Post(at, Body(invalid[(int)(n % invalid.Count)]))
            ),
            new("tooLarge", "refused: too large", 3, HttpStatusCode.RequestEntityTooLarge, (at, _) =>
                Post(at, Body(new('x', 2000)))
            ),
        ];
    }

    /// <summary>Bodies of delivery requests, each of which breaks the schema in one way.</summary>
    private static IReadOnlyList<string> InvalidBodies(string valid)
    {
        return
        [
            valid.TrimEnd()[..^1],
            "",
            "null",
            $"[{valid}]",
            "42",
            .. Required.Select(name => With(body => body.Remove(name))),
            .. Required.Select(name => With(body => body[name] = 7)),
            With(body => body["confirmationRequired"] = "Perhaps"),
            With(body => body["unknown"] = 1),
            With(body => body["pickupTime"] = "tomorrow"),
            With(body => body["pickupLocation"]!["latitude"] = "north"),
            With(body => body["packageInfo"]!.AsObject().Remove("packageId")),
            With(body => body["packageInfo"]!["size"] = "Enormous"),
            With(body => body["packageInfo"]!["weight"] = -1),
        ];

        string With(Action<JsonObject> breakIt)
        {
            var body = JsonNode.Parse(valid)!.AsObject();
            breakIt(body);
            return body.ToJsonString();
        }
    }

    private static HttpRequestMessage Get(Uri gateway, string path) =>
        WithKey(new(HttpMethod.Get, new Uri(gateway, path)));

    private static HttpRequestMessage Post(Uri gateway, HttpContent content) => WithKey(WithoutKey(gateway, content));

    private static HttpRequestMessage WithoutKey(Uri gateway, HttpContent content) =>
        new(HttpMethod.Post, new Uri(gateway, Path)) { Content = content };

    private static HttpRequestMessage WithKey(HttpRequestMessage request)
    {
        request.Headers.Add(ApplicationPlan.GatewayKeyHeader, ApplicationPlan.GatewayKey);
        return request;
    }

    private static ByteArrayContent Body(string text) =>
        new(Encoding.UTF8.GetBytes(text)) { Headers = { ContentType = new MediaTypeHeaderValue("application/json") } };
}
