using System.Net;
using System.Net.Http.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>Two clients that change one package, through HTTP: the second one must not undo what it has not seen.</summary>
public sealed class IfMatchTests() : WithPackages(hasRealTime: true)
{
    private static readonly PackagePatch Heavier = new() { Weight = 9 };

    private const string P1 = "/api/packages/p1";

    private static readonly PackageUpsert A = new()
    {
        OwnerId = "owner-1",
        Size = PackageSize.Medium,
        Weight = 2.5,
        Tag = "a",
    };
    private static readonly PackageUpsert B = A with { Weight = 7, Tag = "b" };

    [Fact]
    public async Task Every_answer_with_a_package_says_its_ETag_and_only_a_change_makes_another()
    {
        var created = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        Assert.Equal(created, await TagOfAsync(HttpMethod.Get, null, HttpStatusCode.OK));
        Assert.Equal(created, await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.OK));

        var replaced = await TagOfAsync(HttpMethod.Put, B, HttpStatusCode.OK);
        var patched = await TagOfAsync(HttpMethod.Patch, new PackagePatch { Tag = "c" }, HttpStatusCode.OK);

        Assert.Equal(patched, await TagOfAsync(HttpMethod.Get, null, HttpStatusCode.OK));
        Assert.Distinct([created, replaced, patched]);
        using var posted = await Http.PostAsync("/api/packages", A);
        var stored = await posted.ReadAsync<PackageDetails>(HttpStatusCode.Created);
        Assert.NotNull(posted.Headers.ETag);
        Assert.Equal(stored, await Http.GetAsync<PackageDetails>(posted.Headers.Location!.OriginalString));
    }

    [Fact]
    public async Task A_PATCH_and_a_DELETE_of_what_has_changed_are_refused_and_of_what_has_not_are_done()
    {
        var read = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        var patched = await TagOfAsync(HttpMethod.Patch, new PackagePatch { Weight = 3 }, HttpStatusCode.OK, read);

        await RefusedAsync(HttpMethod.Patch, new PackagePatch { Weight = 4 }, read);
        await RefusedAsync(HttpMethod.Delete, null, read);
        Assert.Equal(3, (await Http.GetAsync<PackageDetails>(P1)).Weight);

        using var deleted = await SendAsync(HttpMethod.Delete, null, patched);
        Assert.Equal(HttpStatusCode.NoContent, deleted.StatusCode);
        await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        await RefusedAsync(HttpMethod.Put, B, read); // stored again it is another one
    }

    [Fact]
    public async Task A_PUT_with_the_ETag_of_a_change_takes_the_change_back()
    {
        await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        var changed = await TagOfAsync(HttpMethod.Patch, new PackagePatch { Weight = 7, Tag = "b" }, HttpStatusCode.OK);

        var restored = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.OK, changed);

        Assert.Equal(restored, await TagOfAsync(HttpMethod.Get, null, HttpStatusCode.OK));
        var stored = await Http.GetAsync<PackageDetails>(P1);
        Assert.Equal((A.Weight, A.Tag), (stored.Weight, stored.Tag));
    }

    [Fact]
    public async Task A_PUT_that_knows_of_no_package_creates_one_and_replaces_none()
    {
        using var created = await SendAsync(HttpMethod.Put, A, "*", "If-None-Match");
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);

        await RefusedAsync(HttpMethod.Put, B, "*", "If-None-Match");
        await RefusedAsync(HttpMethod.Put, B with { OwnerId = "owner-2" }, "*", "If-None-Match");

        Assert.Equal("a", (await Http.GetAsync<PackageDetails>(P1)).Tag);
        using var unknown = await SendAsync(HttpMethod.Put, B, created.Headers.ETag!.Tag, "If-None-Match");
        Assert.Equal(["ifNoneMatch"], await unknown.ReadInvalidFieldsAsync());
    }

    [Fact]
    public async Task One_of_several_ETags_is_enough_a_star_means_any_package_and_a_weak_one_none()
    {
        await RefusedAsync(HttpMethod.Put, A, "*");
        var tag = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);

        await RefusedAsync(HttpMethod.Put, B, $"W/{tag}");
        tag = await TagOfAsync(HttpMethod.Put, B, HttpStatusCode.OK, $"\"other\", {tag}");
        tag = await TagOfAsync(HttpMethod.Patch, new PackagePatch { Tag = "x" }, HttpStatusCode.OK, tag);
        using var deleted = await SendAsync(HttpMethod.Delete, null, "*");
        Assert.Equal(HttpStatusCode.NoContent, deleted.StatusCode);
    }

    [Fact]
    public async Task What_would_be_refused_anyway_is_refused_for_its_own_reason()
    {
        await (await SendAsync(HttpMethod.Patch, Heavier, "\"x\"")).ReadProblemAsync(HttpStatusCode.NotFound);
        await (await SendAsync(HttpMethod.Delete, null, "\"x\"")).ReadProblemAsync(HttpStatusCode.NotFound);
        var tag = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        using var ofAnother = await SendAsync(HttpMethod.Put, A with { OwnerId = "owner-2" }, tag);
        await ofAnother.ReadProblemAsync(HttpStatusCode.Conflict);
    }

    [Fact]
    public async Task A_header_that_is_no_ETag_or_more_than_a_hundred_is_named()
    {
        var tag = await TagOfAsync(HttpMethod.Put, A, HttpStatusCode.Created);
        var others = string.Join(", ", Enumerable.Range(0, 99).Select(i => $"\"{i}\""));

        foreach (var ifMatch in new[] { "no quotes", "\"open", $"{others}, \"99\", {tag}" })
        {
            foreach (
                var (method, body) in new (HttpMethod, object?)[]
                {
                    (HttpMethod.Put, A),
                    (HttpMethod.Patch, Heavier),
                    (HttpMethod.Delete, null),
                }
            )
            {
                using var response = await SendAsync(method, body, ifMatch);
                Assert.Equal(["ifMatch"], await response.ReadInvalidFieldsAsync());
            }
        }
        await TagOfAsync(HttpMethod.Patch, Heavier, HttpStatusCode.OK, $"{others}, {tag}");
    }

    private async Task<string> TagOfAsync(
        HttpMethod method,
        object? body,
        HttpStatusCode expected,
        string? ifMatch = null
    )
    {
        using var response = await SendAsync(method, body, ifMatch);
        await response.ReadAsync<PackageDetails>(expected);
        Assert.False(response.Headers.ETag?.IsWeak);
        return response.Headers.ETag!.Tag;
    }

    private async Task RefusedAsync(HttpMethod method, object? body, string condition, string header = "If-Match")
    {
        using var response = await SendAsync(method, body, condition, header);
        Assert.Equal(
            "urn:drone-delivery:package-changed",
            await response.ReadProblemTypeAsync(HttpStatusCode.PreconditionFailed)
        );
    }

    private Task<HttpResponseMessage> SendAsync(
        HttpMethod method,
        object? body,
        string? condition = null,
        string header = "If-Match"
    ) =>
        Http.SendAsync(
            method,
            P1,
            body is null ? null : JsonContent.Create(body, body.GetType(), options: ContractJson.Options),
            condition is null ? [] : [(header, condition)]
        );
}
