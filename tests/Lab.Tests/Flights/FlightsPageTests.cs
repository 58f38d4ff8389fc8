using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Tests.Flights;

/// <summary>The flights page, with services that return the received requests.</summary>
public sealed class FlightsPageTests : IAsyncLifetime
{
    private readonly ApplicationPlan _plan = new(
        "",
        new Ports(FreePorts.Offset()),
        KnobSet.Empty,
        DeclaredEnvironment.None,
        Seed: 1
    );
    private readonly List<WebApplication> _hosts = [];
    private readonly HttpClient _http = new();

    public async ValueTask InitializeAsync()
    {
        var lab = LabHost.Create("http://127.0.0.1:0", maxBytes: 1 << 20);
        lab.MapFlights(_plan);
        await StartAsync(lab);
        _http.BaseAddress = new Uri(lab.Urls.First());
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        foreach (var host in _hosts)
            await host.DisposeAsync();
    }

    [Fact]
    public async Task Page_makes_no_external_requests()
    {
        using var answer = await _http.GetAsync("/flights", Cancel);
        using var nobody = await _http.GetAsync("/api/drones", Cancel);
        var page = await answer.Content.ReadAsStringAsync(Cancel);

        LiveLab.Leave("flights.html", page);
        Assert.Equal("text/html; charset=utf-8", answer.Content.Headers.ContentType!.ToString());
        Assert.Equal("frame-ancestors 'none'", answer.Headers.GetValues("Content-Security-Policy").Single());
        Assert.Contains("connect-src 'self'", page, StringComparison.Ordinal);
        Assert.DoesNotContain("src=\"", page, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.BadGateway, nobody.StatusCode);
    }

    [Theory]
    [InlineData("POST", "/api/deliveryrequests", "ingestion: POST /api/deliveryrequests {\"a\":1}")]
    [InlineData("GET", "/api/deliveryrequests/1?acceptance=x", "ingestion: GET /api/deliveryrequests/1?acceptance=x ")]
    [InlineData("DELETE", "/api/deliveryrequests/1", "ingestion: DELETE /api/deliveryrequests/1 ")]
    [InlineData("GET", "/api/deliveries/1", "delivery: GET /api/deliveries/1 ")]
    [InlineData("GET", "/api/drones", "dronescheduler: GET /api/drones ")]
    public async Task Request_is_forwarded_to_the_service_of_its_route(string method, string path, string expected)
    {
        await StartServicesAsync();
        using var request = new HttpRequestMessage(new(method), path);
        if (method == "POST")
            request.Content = new StringContent("{\"a\":1}");
        using var answer = await _http.SendAsync(request, Cancel);

        Assert.Equal((HttpStatusCode.Accepted, "/there"), (answer.StatusCode, answer.Headers.Location?.ToString()));
        Assert.Equal(expected, await answer.Content.ReadAsStringAsync(Cancel));
    }

    [Theory]
    [InlineData("/api/deliveryrequests", "Host", "lab.example")]
    [InlineData("/flights", "Host", "lab.example")]
    public async Task Request_of_another_site_is_rejected(string path, string header, string value)
    {
        await StartServicesAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.Add(header, value);
        using var answer = await _http.SendAsync(request, Cancel);

        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
    }

    private async Task StartServicesAsync()
    {
        foreach (var service in (Service[])[Service.Ingestion, Service.Delivery, Service.DroneScheduler])
        {
            var host = LabHost.Create(_plan.Url(service, 0).ToString(), maxBytes: 1 << 20);
            host.Map("/{**path}", async (HttpRequest request) =>
            {
                request.HttpContext.Response.Headers.Location = "/there";
                using var body = new StreamReader(request.Body);
                var text =
                    $"{service.Name}: {request.Method} {request.Path}{request.QueryString} {await body.ReadToEndAsync(Cancel)}";
                return Results.Text(text, statusCode: StatusCodes.Status202Accepted);
            });
            await StartAsync(host);
        }
    }

    private Task StartAsync(WebApplication host)
    {
        _hosts.Add(host);
        return host.StartAsync(Cancel);
    }
}
