using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Delivery.Redis;
using Microsoft.Extensions.Options;
using StackExchange.Redis;

namespace DroneDelivery.Delivery;

/// <summary>
/// A delivery is two keys, its JSON and the list of its events, and a member of its owner's month. They change together in one script:
/// one round trip, and a Redis without memory refuses all of it.
/// </summary>
/// <remarks>The keys of one script belong to different hash slots, so this needs a Redis without sharding.</remarks>
internal sealed class DeliveryStore(RedisConnection redis, IOptions<RedisOptions> options)
{
    private const string Expire = "if tonumber(ARGV[1]) > 0 then for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[1]) end end ";

    private const string AddScript = """
        local stored = redis.call('GET', KEYS[1])
        if stored then return stored end
        redis.call('SET', KEYS[1], ARGV[2])
        redis.call('RPUSH', KEYS[2], ARGV[3])
        redis.call('SADD', KEYS[3], ARGV[4])

        """ + Expire + "return false";

    private const string ReplaceScript = """
        if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
        redis.call('SET', KEYS[1], ARGV[3])
        redis.call('RPUSH', KEYS[2], ARGV[4])
        redis.call('SREM', KEYS[3], ARGV[5])
        if ARGV[6] == '1' then redis.call('SADD', KEYS[4], ARGV[5]) end

        """ + Expire + "return 1";

    private readonly int _padTo = options.Value.PadDeliveriesTo;
    private readonly long _timeToLive = (long)(options.Value.KeyTimeToLive ?? TimeSpan.Zero).TotalMilliseconds;

    /// <returns>Null: stored. Otherwise what was there before, untouched.</returns>
    public async Task<StoredDelivery?> AddAsync(StoredDelivery added, DeliveryEvent created, CancellationToken cancellationToken)
    {
        var id = added.Delivery.Id;
        RedisKey[] keys = [RedisKeys.Delivery(id), RedisKeys.Events(id), RedisKeys.Month(added.Delivery)];
        RedisValue[] values = [_timeToLive, Pad(Serialize(added)), Serialize(created), id];
        var existing = await redis.WriteAsync("EVALSHA add", database => database.ScriptEvaluateAsync(AddScript, keys, values), cancellationToken);
        return existing.IsNull ? null : Deserialize<StoredDelivery>((byte[])existing!);
    }

    public async Task<(StoredDelivery Stored, byte[] Json)?> FindAsync(string id, CancellationToken cancellationToken)
    {
        var json = await redis.ReadAsync("GET", database => database.StringGetAsync(RedisKeys.Delivery(id)), cancellationToken);
        return json.IsNull ? null : (Deserialize<StoredDelivery>(json!), json!);
    }

    /// <param name="old">The stored JSON that the change starts from.</param>
    /// <param name="before">What <paramref name="old"/> says.</param>
    /// <param name="after">What is stored instead.</param>
    /// <param name="what">The event that goes with it.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>False: somebody else changed it since.</returns>
    public async Task<bool> TryReplaceAsync(
        byte[] old, StoredDelivery before, StoredDelivery after, DeliveryEvent what, CancellationToken cancellationToken)
    {
        var id = before.Delivery.Id;
        RedisKey[] keys = [RedisKeys.Delivery(id), RedisKeys.Events(id), RedisKeys.Month(before.Delivery), RedisKeys.Month(after.Delivery)];
        var counts = after.Closed is not { Stage: DeliveryStage.Cancelled };
        RedisValue[] values = [_timeToLive, old, Pad(Serialize(after)), Serialize(what), id, counts ? 1 : 0];
        return (bool)await redis.WriteAsync("EVALSHA replace", database => database.ScriptEvaluateAsync(ReplaceScript, keys, values), cancellationToken);
    }

    public async Task<IReadOnlyList<DeliveryEvent>> GetEventsAsync(string id, CancellationToken cancellationToken) =>
        await GetListAsync<DeliveryEvent>(RedisKeys.Events(id), cancellationToken);

    public async Task<int> CountAsync(string ownerId, int year, int month, CancellationToken cancellationToken) =>
        (int)await redis.ReadAsync("SCARD", database => database.SetLengthAsync(RedisKeys.Month(ownerId, year, month)), cancellationToken);

    public async Task AddNotifyMeAsync(string id, NotifyMeRequest request, CancellationToken cancellationToken)
    {
        await redis.WriteAsync("RPUSH", database => database.ListRightPushAsync(RedisKeys.NotifyMe(id), Serialize(request)), cancellationToken);
        await ExpireAsync(RedisKeys.NotifyMe(id), cancellationToken);
    }

    public async Task<IReadOnlyList<NotifyMeRequest>> GetNotifyMeAsync(string id, CancellationToken cancellationToken) =>
        await GetListAsync<NotifyMeRequest>(RedisKeys.NotifyMe(id), cancellationToken);

    /// <summary>The first confirmation stays; a replay changes nothing.</summary>
    public async Task AddConfirmationAsync(string id, DeliveryConfirmation confirmation, CancellationToken cancellationToken)
    {
        TimeSpan? expiry = _timeToLive > 0 ? TimeSpan.FromMilliseconds(_timeToLive) : null;
        await redis.WriteAsync(
            "SET", database => database.StringSetAsync(RedisKeys.Confirmation(id), Serialize(confirmation), expiry, When.NotExists), cancellationToken);
    }

    public async Task<DeliveryConfirmation?> FindConfirmationAsync(string id, CancellationToken cancellationToken)
    {
        var json = await redis.ReadAsync("GET", database => database.StringGetAsync(RedisKeys.Confirmation(id)), cancellationToken);
        return json.IsNull ? null : Deserialize<DeliveryConfirmation>(json!);
    }

    private async Task<IReadOnlyList<T>> GetListAsync<T>(RedisKey key, CancellationToken cancellationToken)
    {
        var entries = await redis.ReadAsync("LRANGE", database => database.ListRangeAsync(key), cancellationToken);
        return [.. entries.Select(entry => Deserialize<T>(entry!))];
    }

    private async Task ExpireAsync(RedisKey key, CancellationToken cancellationToken)
    {
        if (_timeToLive > 0)
            await redis.WriteAsync("PEXPIRE", database => database.KeyExpireAsync(key, TimeSpan.FromMilliseconds(_timeToLive)), cancellationToken);
    }

    private static byte[] Serialize<T>(T value) => JsonSerializer.SerializeToUtf8Bytes(value, ContractJson.Options);

    private static T Deserialize<T>(byte[] json) => JsonSerializer.Deserialize<T>(json, ContractJson.Options)!;

    // Spaces after the end of a JSON text mean nothing.
    private byte[] Pad(byte[] json)
    {
        if (json.Length >= _padTo)
            return json;
        var padded = new byte[_padTo];
        json.CopyTo(padded, 0);
        padded.AsSpan(json.Length).Fill((byte)' ');
        return padded;
    }
}
