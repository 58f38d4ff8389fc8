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
    public void A_body_without_length_ends_at_the_first_null()
    {
        Assert.True(StompFrame.TryRead(Bytes("RECEIPT\nreceipt-id:7\n\n\0\nRECEIPT\n"), out var frame, out var length));

        Assert.Equal("", Text(frame.Body));
        Assert.Equal("RECEIPT\nreceipt-id:7\n\n\0".Length, length);
    }

    [Fact]
    public void A_frame_is_read_only_when_all_of_it_has_arrived()
    {
        for (var arrived = 0; arrived < Message.Length; arrived++)
            Assert.False(StompFrame.TryRead(Bytes(Message[..arrived]), out _, out _), $"read after {arrived} bytes");
    }

    [Fact]
    public void Line_ends_before_a_frame_belong_to_it()
    {
        Assert.True(StompFrame.TryRead(Bytes("\n\r\n" + Message + Message), out var frame, out var length));

        Assert.Equal("MESSAGE", Text(frame.Command));
        Assert.Equal(3 + Message.Length, length);
    }

    [Fact]
    public void Lines_may_end_with_carriage_return_and_line_feed()
    {
        Assert.True(StompFrame.TryRead(Bytes("RECEIPT\r\nreceipt-id:7\r\n\r\n\0"), out var frame, out _));

        Assert.Equal("7", Text(frame.Header("receipt-id"u8)));
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
