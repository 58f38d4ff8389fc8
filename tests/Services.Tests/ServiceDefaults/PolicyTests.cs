using System.Net;
using System.Text.Json;
using DroneDelivery.Delivery;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Package;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

/// <summary>The tokens that each route accepts.</summary>
public sealed class PolicyTests : WithFolder
{
    public static TheoryData<string, string, string> InnerRoutes =>
        new()
        {
            { "package", "DELETE", "/api/packages/p1" },
            { "package", "DELETE", "/api/packages/p1/requests/r1" },
            { "package", "GET", "/api/packages?ownerId=owner-1" },
            { "dronescheduler", "DELETE", "/api/dronedeliveries/d1" },
            { "dronescheduler", "DELETE", "/api/dronedeliveries/d1/requests/r1" },
            { "dronescheduler", "GET", "/api/drones" },
            { "delivery", "DELETE", "/api/deliveries/none!" },
            { "delivery", "PATCH", "/api/deliveries/none!" },
            { "delivery", "GET", "/api/deliveries/none!/confirmations" },
        };

    [Theory, MemberData(nameof(InnerRoutes))]
    public async Task Internal_routes_require_the_service_role(string service, string method, string path)
    {
        await using var host = Start(service);

        Assert.Equal(HttpStatusCode.Unauthorized, await SendAsync(host.Http, method, path, token: null));
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(host.Http, method, path, Tokens.Of("owner-1")));
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(host.Http, method, path, WithRole("Device")));
        foreach (var claim in new[] { "roles", "role", "scp", "scope" })
        {
            var token = Tokens.Of("workflow", (claim, "openid Service"));
            Assert.DoesNotContain(
                await SendAsync(host.Http, method, path, token),
                new[] { HttpStatusCode.Unauthorized, HttpStatusCode.Forbidden }
            );
        }
    }

    [Fact]
    public async Task Confirmations_require_the_device_role()
    {
        await using var host = Start("delivery");

        async Task<HttpStatusCode> ConfirmAsync(string? token) =>
            await SendAsync(host.Http, "POST", "/api/deliveries/none/confirmations", token);

        Assert.Equal(HttpStatusCode.Unauthorized, await ConfirmAsync(token: null));
        Assert.Equal(HttpStatusCode.Forbidden, await ConfirmAsync(Tokens.Of("owner-1")));
        Assert.Equal(HttpStatusCode.Forbidden, await ConfirmAsync(WithRole("Service")));
        Assert.Equal(HttpStatusCode.BadRequest, await ConfirmAsync(WithRole("Device")));
    }

    [Fact]
    public async Task Authentication_ServiceRole_sets_the_required_role()
    {
        await using var package = ServiceHost<PackageStore>.Start(
            Folder.SqliteSettings.And(Tokens.Settings).And("Authentication:ServiceRole", "Drones.All")
        );
        package.Http.DefaultRequestHeaders.Authorization = new("Bearer", WithRole("Drones.All"));
        Assert.Equal(HttpStatusCode.NotFound, await package.Http.StatusAsync("/api/packages/p1"));
        package.Http.DefaultRequestHeaders.Authorization = new("Bearer", WithRole("Service"));
        Assert.Equal(HttpStatusCode.Forbidden, await package.Http.StatusAsync("/api/packages/p1"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Description_has_a_bearer_scheme_if_tokens_are_checked(bool checksTokens)
    {
        await using var package = ServiceHost<PackageStore>.Start(
            Folder.SqliteSettings.And(checksTokens ? Tokens.Settings : [])
        );

        var document = await package.Http.GetAsync<JsonElement>("/openapi/v1.json");

        Assert.Equal(checksTokens, document.TryGetProperty("security", out _));
        if (!checksTokens)
            return;
        var scheme = document.GetProperty("components").GetProperty("securitySchemes").GetProperty("Bearer");
        Assert.Equal(
            ("http", "bearer"),
            (scheme.GetProperty("type").GetString(), scheme.GetProperty("scheme").GetString())
        );
        Assert.True(document.GetProperty("security")[0].TryGetProperty("Bearer", out _));
    }

    private static string WithRole(string role) => Tokens.Of("any", ("roles", new[] { role }));

    private static (HttpClient Http, IAsyncDisposable Host) StartHost<TService>(Dictionary<string, string?> settings)
        where TService : class
    {
        var host = ServiceHost<TService>.Start(settings.And(Tokens.Settings));
        return (host.Http, host);
    }

    private Running Start(string service)
    {
        var (http, host) = service switch
        {
            "package" => StartHost<PackageStore>(Folder.SqliteSettings),
            "dronescheduler" => StartHost<AssignmentStore>(Folder.SqliteSettings),
            _ => StartHost<DeliveryStore>([]),
        };
        return new(http, host);
    }

    private static async Task<HttpStatusCode> SendAsync(HttpClient http, string method, string path, string? token)
    {
        http.DefaultRequestHeaders.Authorization = token is null ? null : new("Bearer", token);
        using var response = await http.SendAsync(new(method), path, method is "POST" or "PATCH" ? "{}" : null);
        return response.StatusCode;
    }

    private sealed record Running(HttpClient Http, IAsyncDisposable Host) : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => Host.DisposeAsync();
    }
}
