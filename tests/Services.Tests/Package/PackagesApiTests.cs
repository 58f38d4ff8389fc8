using System.Net;
using DroneDelivery.Contracts;
using DroneDelivery.Package;
using DroneDelivery.Services.Tests.ServiceDefaults;

namespace DroneDelivery.Services.Tests.Package;

public sealed class PackagesApiTests() : WithPackages(hasRealTime: true)
{
    [Fact]
    public async Task Package_is_created_read_updated_and_deleted()
    {
        using var response = await Http.PutAsync("/api/packages/p1", Packages.Sample);

        var created = await response.ReadAsync<PackageDetails>(HttpStatusCode.Created);
        Assert.Equal("/api/packages/p1", response.Headers.Location?.OriginalString);
        Assert.Equal(
            new PackageDetails
            {
                Id = "p1",
                OwnerId = "owner-1",
                Size = PackageSize.Medium,
                Weight = 2.5,
                Tag = "books",
            },
            created
        );
        Assert.Equal(created, await Http.GetAsync<PackageDetails>("/api/packages/p1"));
        using var changed = await Http.PatchAsync("/api/packages/p1", new PackagePatch { Size = PackageSize.Large });
        Assert.Equal(created with { Size = PackageSize.Large }, await changed.ReadAsync<PackageDetails>());

        Assert.Equal(
            HttpStatusCode.NoContent,
            (await Http.SendAsync(HttpMethod.Delete, "/api/packages/p1")).StatusCode
        );
        await (await Http.SendAsync(HttpMethod.Get, "/api/packages/p1")).ReadProblemAsync(HttpStatusCode.NotFound);
    }

    /// <summary>Stored rows and replicas of the previous version compare requests by this fingerprint.</summary>
    [Fact]
    public async Task Fingerprint_of_a_request_is_stable()
    {
        await Http.PutAsync("/api/packages/p1", Packages.Sample);

        Assert.Equal(
            FingerprintTests.OfJson("""{"OwnerId":"owner-1","Size":1,"Weight":2.5,"Tag":"books"}"""),
            await Service.Folder.ExecuteAsync("select request from packages where id = 'p1'")
        );
    }

    [Fact]
    public async Task PUT_replaces_a_package_only_for_its_owner()
    {
        var replacing = Packages.Sample with { Weight = 7, Tag = null };
        await Http.PutAsync("/api/packages/p1", Packages.Sample);

        await (await Http.PutAsync("/api/packages/p1", replacing)).ReadAsync<PackageDetails>();
        using var ofAnother = await Http.PutAsync("/api/packages/p1", Packages.Sample with { OwnerId = "owner-2" });

        await ofAnother.ReadProblemAsync(HttpStatusCode.Conflict);
        var stored = await Http.GetAsync<PackageDetails>("/api/packages/p1");
        Assert.Equal(("owner-1", 7, null), (stored.OwnerId, stored.Weight, stored.Tag));
        await Http.PatchAsync("/api/packages/p1", new PackagePatch { Weight = 3 });
        var replayed = await (await Http.PutAsync("/api/packages/p1", replacing)).ReadAsync<PackageDetails>();
        Assert.Equal((3.0, null), (replayed.Weight, replayed.Tag));
    }

    [Fact]
    public async Task PUT_with_ifAbsent_keeps_an_existing_package()
    {
        var created = await (
            await Http.PutAsync("/api/packages/p1?ifAbsent=true", Packages.Sample)
        ).ReadAsync<PackageDetails>(HttpStatusCode.Created);

        var stored = await (
            await Http.PutAsync("/api/packages/p1?ifAbsent=true", Packages.Sample with { Weight = 7 })
        ).ReadAsync<PackageDetails>();

        Assert.Equal(created, stored);
        Assert.Equal(created, await Http.GetAsync<PackageDetails>("/api/packages/p1"));
    }

    [Fact]
    public async Task Summary_adds_up_the_owners_packages()
    {
        await Http.PutAsync("/api/packages/p1", Packages.Sample with { Weight = 1.25 });
        await Http.PutAsync("/api/packages/p2", Packages.Sample with { Weight = 2.5 });
        await Http.PutAsync("/api/packages/p3", Packages.Sample with { OwnerId = "owner-2", Weight = 40 });

        Assert.Equal(
            new PackageSummary
            {
                OwnerId = "owner-1",
                Count = 2,
                TotalWeight = 3.75,
            },
            await Http.GetAsync<PackageSummary>("/api/packages/summary/owner-1")
        );
        Assert.Equal(
            new PackageSummary
            {
                OwnerId = "nobody",
                Count = 0,
                TotalWeight = 0,
            },
            await Http.GetAsync<PackageSummary>("/api/packages/summary/nobody")
        );
    }

    [Fact]
    public async Task Packages_of_an_owner_are_listed_page_by_page()
    {
        foreach (var id in new[] { "p2", "p5", "p1", "p4", "p3" })
            await Http.PutAsync($"/api/packages/{id}", Packages.Sample);
        await Http.PutAsync("/api/packages/p0", Packages.Sample with { OwnerId = "owner-2" });

        var pages = new List<string>();
        for (var next = "/api/packages?ownerId=owner-1&limit=2"; next is not null; )
        {
            var page = await Http.GetAsync<PackagePage>(next);
            pages.Add(string.Join(" ", page.Packages.Select(package => package.Id)));
            next = page.Next;
        }

        Assert.Equal(["p1 p2", "p3 p4", "p5"], pages);
    }

    [Theory]
    [InlineData("ownerId=owner-1&limit=0", "limit")]
    [InlineData("ownerId=owner-1&after=%2F", "after")]
    [InlineData("limit=2", "ownerId")]
    public async Task Invalid_list_query_is_rejected_with_its_parameter(string query, string parameter)
    {
        using var response = await Http.SendAsync(HttpMethod.Get, $"/api/packages?{query}");

        Assert.Equal([parameter], await response.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task Request_may_contain_unknown_properties()
    {
        using var response = await Http.SendAsync(
            HttpMethod.Put,
            "/api/packages/p1",
            """{ "ownerId": "owner-1", "size": "Medium", "weight": 1, "color": "red" }"""
        );

        Assert.Equal(PackageSize.Medium, (await response.ReadAsync<PackageDetails>(HttpStatusCode.Created)).Size);
    }

    [Fact]
    public async Task Empty_PATCH_is_rejected_without_a_new_version()
    {
        using var created = await Http.PutAsync("/api/packages/p1", Packages.Sample);

        using var patched = await Http.SendAsync(HttpMethod.Patch, "/api/packages/p1", "{}");

        Assert.Equal(["$"], await patched.ReadInvalidFieldsAsync());
        using var found = await Http.SendAsync(HttpMethod.Get, "/api/packages/p1");
        Assert.Equal(created.Headers.ETag, found.Headers.ETag);
    }

    [Theory]
    [InlineData("1", "/drones")]
    [InlineData("0", "")] // There is no trusted proxy.
    public async Task Addresses_start_with_the_prefix_that_a_proxy_removed(string proxies, string prefix)
    {
        using var folder = new TemporaryFolder();
        await using var service = ServiceHost<PackageStore>.Start(
            folder.SqliteSettings.And("RateLimit:Proxies", proxies)
        );
        service.Http.DefaultRequestHeaders.Add("X-Forwarded-Prefix", "/drones");

        using var put = await service.Http.PutAsync("/api/packages/p1", Packages.Sample);
        using var posted = await service.Http.PostAsync("/api/packages", Packages.Sample);
        var page = await service.Http.GetAsync<PackagePage>("/api/packages?ownerId=owner-1&limit=1");

        Assert.Equal($"{prefix}/api/packages/p1", put.Headers.Location?.OriginalString);
        Assert.StartsWith($"{prefix}/api/packages/", posted.Headers.Location?.OriginalString, StringComparison.Ordinal);
        Assert.StartsWith($"{prefix}/api/packages?ownerId=owner-1&after=", page.Next, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unavailable_database_returns_503_and_is_not_ready()
    {
        await using var service = ServiceHost<PackageStore>.Start(
            new() { ["Database:ConnectionString"] = "Data Source=/nowhere/at/all.db" }
        );

        using var response = await service.Http.PutAsync("/api/packages/p1", Packages.Sample);

        var problem = await response.ReadUnavailableAsync("database-unavailable");
        Assert.Equal("The database is unavailable.", problem.GetProperty("detail").GetString());
        Assert.DoesNotContain("SQLite", problem.ToString(), StringComparison.OrdinalIgnoreCase);
        service.Logs.AssertContains("SQLite Error 14");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, await service.Http.StatusAsync("/health/ready"));
        Assert.Equal(HttpStatusCode.OK, await service.Http.StatusAsync("/health/live"));
    }
}
