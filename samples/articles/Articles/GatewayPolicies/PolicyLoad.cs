using System.Net;
using System.Net.Http.Headers;
using System.Text;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;

namespace DroneDelivery.Articles.GatewayPolicies;

/// <summary>Requests of one kind, sent to the gateway with the tested policies.</summary>
internal sealed record PolicyLoad
{
    public required string Name { get; init; }

    public required string Title { get; init; }

    /// <summary>Index in <see cref="Gateways"/>.</summary>
    public required int Gateway { get; init; }

    public required HttpStatusCode Expected { get; init; }

    /// <summary>Creates the request with this number, for a path below this address.</summary>
    public required Func<Uri, long, HttpRequestMessage> Next { get; init; }

    /// <summary>
    /// Files in <c>samples/articles/policies</c>, with a process for each entry. Compared loads have separate processes, so that neither
    /// runs code that the other has warmed up; rejections share the process of validation.
    /// </summary>
    public static readonly IReadOnlyList<string> Gateways = ["return-response", "forward", "forward", "validate"];

    private const string Path = "api/deliveryrequests";

    /// <summary>Whether each request results in a queue message.</summary>
    public bool IsAccepted => Expected == HttpStatusCode.Accepted;

    public bool IsRefused =>
        Expected is HttpStatusCode.Unauthorized or HttpStatusCode.RequestEntityTooLarge or HttpStatusCode.BadRequest;

    /// <summary>Returns a load for each set of policies and for each kind of rejection.</summary>
    /// <remarks>As in the article, a GET costs the back end little: Ingestion returns 405 without an id.</remarks>
    public static IReadOnlyList<PolicyLoad> All()
    {
        var valid = DeliveryRequests.Load();
        var invalid = File.ReadAllLines(Folder.Of("policies", "invalid-bodies.txt"));
        return
        [
            new()
            {
                Name = "answer",
                Title = "return-response, GET",
                Gateway = 0,
                Expected = HttpStatusCode.OK,
                Next = (at, _) => Get(at, "api/hello"),
            },
            new()
            {
                Name = "forward",
                Title = "forward, GET",
                Gateway = 1,
                Expected = HttpStatusCode.MethodNotAllowed,
                Next = (at, _) => Get(at, Path),
            },
            new()
            {
                Name = "forwardPost",
                Title = "forward, POST",
                Gateway = 2,
                Expected = HttpStatusCode.Accepted,
                Next = (at, number) => Post(at, valid.Create($"{number}")),
            },
            new()
            {
                Name = "validate",
                Title = "validate and forward, POST",
                Gateway = 3,
                Expected = HttpStatusCode.Accepted,
                Next = (at, number) => Post(at, valid.Create($"{number}")),
            },
            new()
            {
                Name = "noKey",
                Title = "rejected: no key",
                Gateway = 3,
                Expected = HttpStatusCode.Unauthorized,
                Next = (at, number) => WithoutKey(at, valid.Create($"{number}")),
            },
            new()
            {
                Name = "invalid",
                Title = "rejected: doesn't match the schema",
                Gateway = 3,
                Expected = HttpStatusCode.BadRequest,
                Next = (at, number) => Post(at, Body(invalid[number % invalid.Length])),
            },
            new()
            {
                Name = "tooLarge",
                Title = "rejected: too large",
                Gateway = 3,
                Expected = HttpStatusCode.RequestEntityTooLarge,
                Next = (at, _) => Post(at, Body(new('x', 2000))),
            },
        ];
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
