local pointer = require "schema.pointer"

describe("pointers", function()
  it("escape and unescape tokens", function()
    assert.equal("/a~1b/c~0d/0", pointer.of { "a/b", "c~d", 0 })
    assert.same({ "a/b", "c~d", "", "~1" }, pointer.tokens("/a~1b/c~0d//~01"))
    assert.same({}, pointer.tokens(""))
  end)

  it("read as people write places", function()
    assert.equal("a[0].b", pointer.readable("/a/0/b"))
    assert.equal('["a b"].c', pointer.readable("/a b/c"))
    assert.equal("[2]", pointer.readable("/2"))
    assert.equal("", pointer.readable(""))
  end)
end)
