using DroneDelivery.Bench.Broker.Stomp;

namespace DroneDelivery.Lab.Tests.Bench;

public sealed class StompFrameTests
{
    private const string Message = "MESSAGE\nack:ID\\c7\nAttempt:1\ncontent-length:3\nAttempt:2\n\na\0b\0";

    [Fact]
    public void A_body_of_declared_length_may_contain_a_null()
    {
        Assert.True(StompFrame.TryRead(Bytes(Message), out var frame, out var length));

        Assert.Equal("MESSAGE", Text(frame.Command));
        Assert.Equal("a\0b", Text(frame.Body));
        Assert.Equal(Message.Length, length);
    }

    [Fact]
    public void A_frame_is_read_only_when_all_of_it_has_arrived()
    {
        for (var arrived = 0; arrived < Message.Length; arrived++)
            Assert.False(StompFrame.TryRead(Bytes(Message[..arrived]), out _, out _), $"read after {arrived} bytes");
    }

    [Theory]
    [InlineData("Attempt", "1")]
    [InlineData("ack", "ID\\c7")]
    [InlineData("Att", "")]
    [InlineData("missing", "")]
    public void A_header_is_the_first_of_its_name_as_it_was_sent(string name, string value)
    {
        Assert.True(StompFrame.TryRead(Bytes(Message), out var frame, out _));

        Assert.Equal(value, Text(frame.Header(Bytes(name))));
    }

    [Fact]
    public void A_body_that_is_longer_than_declared_is_refused()
    {
        var exception = Assert.Throws<InvalidDataException>(
            () => StompFrame.TryRead(Bytes("MESSAGE\ncontent-length:1\n\nab\0"), out _, out _));

        Assert.Contains("content-length", exception.Message, StringComparison.Ordinal);
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);

    private static string Text(ReadOnlySpan<byte> bytes) => Encoding.UTF8.GetString(bytes);
}
